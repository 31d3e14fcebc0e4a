//! `get_user_rooms`: a user's rooms, ordered by their last message, newest first.

use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::test_server::TestServer;

async fn rooms_of(server: &TestServer, user: &str, query: &[(&str, &str)]) -> Value {
    let query: Vec<_> = [("user_id", user)].into_iter().chain(query.iter().copied()).collect();
    server.get("get_user_rooms", &query).await.results()
}

#[tokio::test]
async fn rooms_are_ordered_by_their_last_message_newest_first() {
    let server = TestServer::with_support_room().await;
    server.create_room("second", &["ana"]).await;
    server.create_room("third", &["ana"]).await;
    server.post_comment("ana", "second", "one").await;
    server.post_comment("bob", "support", "two").await;
    let results = rooms_of(&server, "ana", &[]).await;
    assert_eq!(keys(&results), ["meta", "rooms"]);
    assert_eq!(results["meta"], json!({"current_page": 1, "total_room": 3}));
    assert_eq!(each(&results["rooms"], "unique_id"), ["support", "second", "third"]);
    let fields = [
        "room_avatar_url",
        "room_channel_id",
        "room_id",
        "room_name",
        "room_options",
        "room_type",
        "unique_id",
    ];
    assert_eq!(keys(&results["rooms"][0]), fields);
    assert_eq!(each(&rooms_of(&server, "bob", &[]).await["rooms"], "unique_id"), ["support"]);
}

#[tokio::test]
async fn rooms_can_be_filtered_by_type() {
    let server = TestServer::with_support_room().await;
    let pair = json!({"user_ids": ["ana", "bob"]});
    server.post("get_or_create_room_with_target", pair).await.results();
    let channel = json!({"unique_id": "news", "participants": ["ana"]});
    server.post("get_or_create_channel", channel).await.results();
    for kind in ["single", "group", "channel"] {
        let results = rooms_of(&server, "ana", &[("room_type", kind)]).await;
        assert_eq!(each(&results["rooms"], "room_type"), [kind]);
        assert_eq!(results["meta"]["total_room"], 1);
    }
    let query = [("user_id", "ana"), ("room_type", "secret")];
    let answer = server.get("get_user_rooms", &query).await;
    answer.refused(400, "invalid_request").says("room_type");
}

#[tokio::test]
async fn rooms_are_returned_in_pages() {
    let server = TestServer::start().await;
    server.register("ana").await;
    for number in 1..=7 {
        server.create_room(&format!("room {number}"), &["ana"]).await;
    }
    let first = rooms_of(&server, "ana", &[("limit", "3")]).await;
    assert_eq!(each(&first["rooms"], "unique_id"), ["room 7", "room 6", "room 5"]);
    let third = rooms_of(&server, "ana", &[("limit", "3"), ("page", "3")]).await;
    assert_eq!(each(&third["rooms"], "unique_id"), ["room 1"]);
    assert_eq!(third["meta"], json!({"current_page": 3, "total_room": 7}));
    for past in ["4", "9223372036854775807"] {
        let page = rooms_of(&server, "ana", &[("limit", "3"), ("page", past)]).await;
        assert!(each(&page["rooms"], "unique_id").is_empty());
    }
    let odd = rooms_of(&server, "ana", &[("limit", "101")]).await;
    assert_eq!(each(&odd["rooms"], "unique_id").len(), 7);
}

#[tokio::test]
async fn listing_rooms_of_an_unknown_user_fails() {
    let server = TestServer::start().await;
    let answer = server.get("get_user_rooms", &[("user_id", "nobody")]).await;
    answer.refused(404, "user_not_found");
    server.get("get_user_rooms", &[]).await.refused(400, "invalid_request").says("user_id");
}
