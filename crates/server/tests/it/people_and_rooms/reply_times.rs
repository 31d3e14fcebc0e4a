//! `get_average_reply_time_user`: how long others wait for a user's reply (design/message-api).

use serde_json::json;

use crate::support::answer::keys;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn reply_times_of_a_user_are_returned_in_whole_seconds() {
    let server = TestServer::with_support_room().await;
    let ask = async |query: &[(&str, &str)]| {
        server.get("get_average_reply_time_user", query).await.results()["data"].take()
    };
    let nothing = json!({
        "user_id": "bob", "duration": {"average": 0, "longest": 0, "shortest": 0},
    });
    assert_eq!(ask(&[("user_id", "bob")]).await, nothing);
    server.post_comment("ana", "support", "a question").await;
    server.post_comment("bob", "support", "an answer").await;
    let told = ask(&[("user_id", "bob"), ("start_time", ""), ("end_time", "")]).await;
    assert_eq!(keys(&told), ["duration", "user_id"]);
    assert_eq!(keys(&told["duration"]), ["average", "longest", "shortest"]);
    for name in ["average", "longest", "shortest"] {
        let seconds = told["duration"][name].as_i64().expect("an integer");
        assert!((0..60).contains(&seconds), "{name}: {seconds}");
    }
    let range = [("start_time", "2020-01-01"), ("end_time", "2020-01-02 10:00:00")];
    assert_eq!(ask(&[&[("user_id", "bob")], &range[..]].concat()).await, nothing);
    let call = "get_average_reply_time_user";
    let whole = server.get(call, &[&[("user_id", "bob")], &range[..]].concat()).await.results();
    let asked = (&whole["start_time"], &whole["end_time"]);
    assert_eq!(asked, (&json!("2020-01-01T00:00:00Z"), &json!("2020-01-02T10:00:00Z")));
    let whole = server.get(call, &[("user_id", "bob")]).await.results();
    assert_eq!((&whole["start_time"], &whole["end_time"]), (&json!(""), &json!("")));
}

#[tokio::test]
async fn unknown_users_and_invalid_times_are_refused() {
    let server = TestServer::with_support_room().await;
    let call = "get_average_reply_time_user";
    server.get(call, &[("user_id", "nobody")]).await.refused(404, "user_not_found");
    server.get(call, &[]).await.refused(400, "invalid_request").says("user_id");
    for odd in ["yesterday", "99999999999999999999", "-1e5", "2026-02-30"] {
        for field in ["start_time", "end_time"] {
            let answer = server.get(call, &[("user_id", "ana"), (field, odd)]).await;
            answer.refused(400, "invalid_request").says(field);
        }
    }
    for edge in ["-9223372036854", "9223372036854", "0001-01-01", "9999-01-01"] {
        let query = [("user_id", "ana"), ("start_time", edge), ("end_time", edge)];
        server.get(call, &query).await.results();
    }
}
