//! `GET /load_comments_with_range`: the messages between two ids (wire facts 3.4).

use serde_json::Value;

use crate::support::answer::{Answer, each};
use crate::support::caller::unique_id;
use crate::support::test_server::TestServer;

/// Creates a room with messages 1 to `count`; also returns their comments, oldest first.
async fn room_of(count: usize) -> (TestServer, Vec<Value>) {
    let server = TestServer::with_support_room().await;
    let mut comments = Vec::new();
    for number in 1..=count {
        comments.push(server.post_comment("ana", "support", &number.to_string()).await);
    }
    (server, comments)
}

async fn range(server: &TestServer, room: &str, first: &str, last: &str) -> Answer {
    let query = [("room_id", room), ("first_comment_id", first), ("last_comment_id", last)];
    server.get("load_comments_with_range", &query).await
}

async fn texts(server: &TestServer, first: &Value, last: &Value) -> Vec<String> {
    let results = range(server, "support", &first.to_string(), &last.to_string()).await.results();
    each(&results["comments"], "message").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_range_includes_both_ends_newest_first_in_the_format_of_a_page() {
    let (server, comments) = room_of(5).await;
    let id = |number: usize| &comments[number - 1]["id"];
    assert_eq!(texts(&server, id(2), id(4)).await, ["4", "3", "2"]);
    assert_eq!(texts(&server, id(3), id(3)).await, ["3"]);
    assert_eq!(texts(&server, &Value::from(0), &Value::from(i64::MAX)).await.len(), 5);
    assert!(texts(&server, id(4), id(2)).await.is_empty(), "the ends are swapped");
    let (first, last) = (id(1).to_string(), id(5).to_string());
    let results = range(&server, "support", &first, &last).await.results();
    let page = server.load_comments("support").await;
    assert_eq!(results["comments"], Value::from(page));
}

#[tokio::test]
async fn a_range_omits_deleted_messages() {
    let (server, comments) = room_of(4).await;
    server.delete_messages(&[unique_id(&comments[1])]).await.results();
    assert_eq!(texts(&server, &comments[0]["id"], &comments[3]["id"]).await, ["4", "3", "1"]);
}

#[tokio::test]
async fn a_range_returns_only_its_newest_100_messages() {
    let (server, comments) = room_of(103).await;
    let found = texts(&server, &comments[0]["id"], &comments[102]["id"]).await;
    let expected: Vec<_> = (4..=103).rev().map(|number| number.to_string()).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_range_requires_a_room_and_two_integers() {
    let (server, _) = room_of(1).await;
    let answer = server.get("load_comments_with_range", &[]).await;
    let refused = answer.refused(400, "invalid_request");
    for field in ["room_id", "first_comment_id", "last_comment_id"] {
        refused.says(field);
    }
    range(&server, "support", "x", "2").await.refused(400, "invalid_request").says("first_");
    range(&server, "support", "1", "2.5").await.refused(400, "invalid_request").says("last_");
    range(&server, "nowhere", "1", "2").await.refused(404, "room_not_found").says("nowhere");
}
