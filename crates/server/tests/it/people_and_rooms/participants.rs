//! `get_room_participants`, `add_room_participants`, `remove_room_participants`.

use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::test_server::TestServer;

async fn with_people() -> TestServer {
    let server = TestServer::with_support_room().await;
    server.register_all(&["cid", "dan"]).await;
    server
}

fn users(ids: &[&str]) -> Value {
    json!({"room_id": "support", "user_ids": ids})
}

#[tokio::test]
async fn participants_are_shown_with_their_profiles() {
    let server = with_people().await;
    let results = server.get("get_room_participants", &[("room_id", "support")]).await.results();
    assert_eq!(keys(&results), ["participants"]);
    let ana = json!({
        "active": true, "avatar_url": "", "extras": {}, "user_id": "ana", "username": "Ana",
    });
    assert_eq!(results["participants"][0], ana);
    assert_eq!(each(&results["participants"], "user_id"), ["ana", "bob"]);
}

#[tokio::test]
async fn adding_participants_returns_only_the_new_ones() {
    let server = with_people().await;
    let body = users(&["bob", "cid", "cid", "dan"]);
    let results = server.post("add_room_participants", body).await.results();
    assert_eq!(keys(&results), ["participants_added"]);
    assert_eq!(each(&results["participants_added"], "user_id"), ["cid", "dan"]);
    let fields = ["active", "avatar_url", "extras", "user_id", "username"];
    assert_eq!(keys(&results["participants_added"][0]), fields);
    assert_eq!(server.participants("support").await, ["ana", "bob", "cid", "dan"]);
}

#[tokio::test]
async fn removing_participants_returns_only_the_removed_ones() {
    let server = with_people().await;
    let results = server.post("remove_room_participants", users(&["bob", "cid"])).await.results();
    assert_eq!(keys(&results), ["participants_removed"]);
    assert_eq!(each(&results["participants_removed"], "user_id"), ["bob"]);
    assert_eq!(server.participants("support").await, ["ana"]);
}

#[tokio::test]
async fn one_unknown_user_fails_the_call_and_leaves_the_room_unchanged() {
    let server = with_people().await;
    let answer = server.post("add_room_participants", users(&["cid", "nobody"])).await;
    answer.refused(404, "user_not_found").says("nobody");
    let answer = server.post("remove_room_participants", users(&["ana", "nobody"])).await;
    answer.refused(404, "user_not_found").says("nobody");
    let answer = server.post("add_room_participants", users(&["cid", "system@shop"])).await;
    answer.refused(403, "system_user");
    assert_eq!(server.participants("support").await, ["ana", "bob"]);
}

#[tokio::test]
async fn a_call_without_users_or_with_over_100_is_refused() {
    let server = with_people().await;
    let many: Vec<_> = (0..101).map(|number| format!("user{number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    for call in ["add_room_participants", "remove_room_participants"] {
        for wrong in [users(&[]), users(&many), json!({"room_id": "support"})] {
            server.post(call, wrong).await.refused(400, "invalid_request").says("user_ids");
        }
        let answer = server.post(call, json!({"user_ids": ["cid"]})).await;
        answer.refused(400, "invalid_request").says("room_id");
    }
}

#[tokio::test]
async fn participants_are_returned_in_pages() {
    let server = TestServer::start().await;
    let names: Vec<_> = (100..125).map(|number| format!("user{number}")).collect();
    for name in &names {
        server.register(name).await;
    }
    let all: Vec<_> = names.iter().map(String::as_str).collect();
    server.create_room("big", &all).await;
    let page = |number: &'static str, limit: &'static str| {
        let server = &server;
        async move {
            let query = [("room_id", "big"), ("page", number), ("limit", limit)];
            let results = server.get("get_room_participants", &query).await.results();
            let users = each(&results["participants"], "user_id");
            users.into_iter().map(str::to_owned).collect::<Vec<_>>()
        }
    };
    assert_eq!(page("1", "").await, names[..20]);
    assert_eq!(page("2", "").await, names[20..]);
    assert_eq!(page("3", "10").await, names[20..]);
    assert_eq!(page("1", "101").await.len(), 20);
    for past in ["4", "9223372036854775807"] {
        assert!(page(past, "10").await.is_empty());
    }
}
