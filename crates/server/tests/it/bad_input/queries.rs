//! Invalid and unusual queries.

use reqwest::Method;

use crate::support::caller::sent;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn unusual_queries_are_accepted_or_refused_without_a_5xx() {
    let server = TestServer::with_support_room().await;
    let table = [
        ("load_comments?room_id=%00", 400),
        ("load_comments?room_id=%ff", 400),
        ("load_comments?room_id", 400),
        ("load_comments?room_id=", 400),
        ("load_comments?room_id[]=support", 400),
        ("load_comments?room_id=a%23b", 400),
        ("load_comments?=support", 400),
        ("load_comments?room_id=%zz", 404),
        ("load_comments?room_id=nowhere&room_id=support", 200),
        ("load_comments?room_id=support&page[]=1", 200),
        ("load_comments?room_id=support&page=1e999&limit=1e999", 200),
        ("load_comments?room_id=support&page=-9223372036854775808", 200),
        ("load_comments?room_id=support&page=9223372036854775807&limit=100", 200),
        ("load_comments?room_id=support&unknown=%ED%A0%80x", 400),
        ("load_comments?room_id=support&unknown=1", 200),
        ("load_comments?&&&room_id=support&&", 200),
        ("load_comments_with_range?room_id=support&first_comment_id=1", 400),
        (
            "load_comments_with_range?room_id=support&first_comment_id=-9223372036854775808\
             &last_comment_id=9223372036854775807",
            200,
        ),
        (
            "load_comments_with_range?room_id=support&first_comment_id=9223372036854775808\
             &last_comment_id=1",
            400,
        ),
        ("get_rooms_info?room_ids[]=%00", 400),
        ("get_rooms_info?room_ids=support", 200),
        ("get_rooms_info?room_ids=[\"support\",5]", 200),
        ("get_rooms_info?room_ids=[", 400),
        ("get_rooms_info?room_ids[0]=support&room_ids[1]=x", 200),
        ("get_room_participants?room_id=support&page=9223372036854775807&limit=100", 200),
        ("get_user_rooms?user_id=ana&page=9223372036854775807&limit=100", 200),
        ("get_user_list?page=9223372036854775807&limit=100", 200),
        ("get_user_list?order_query=%00", 400),
        ("get_unread_count?user_id=ana&room_ids[]=", 400),
        ("get_user_unread_count?user_ids[]=", 400),
        ("user_profile?user_id=%F0%9F%99%82", 400),
    ];
    for (call, status) in table {
        let answer = sent(server.request(Method::GET, call)).await;
        assert_eq!(answer.status, status, "{call}: {}", answer.text);
        match status {
            200 => drop(answer.results()),
            400 => drop(answer.refused(400, "invalid_request")),
            _ => drop(answer.refused(404, "room_not_found")),
        }
    }
}
