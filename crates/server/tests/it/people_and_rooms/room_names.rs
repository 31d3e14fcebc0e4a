//! Every call about a room accepts its integer id and its unique id, given or generated
//! (design/message-api).

use serde_json::json;

use crate::support::answer::{Answer, text};
use crate::support::test_server::TestServer;

/// Creates a room; returns its integer id and its unique id.
async fn names(server: &TestServer, unique_id: Option<&str>) -> [String; 2] {
    let mut body = json!({"room_name": "Room", "participants": ["ana", "bob"]});
    if let Some(unique_id) = unique_id {
        body["unique_id"] = json!(unique_id);
    }
    let room = server.post("create_room", body).await.results()["room"].take();
    [text(&room["room_id"]).to_owned(), text(&room["unique_id"]).to_owned()]
}

async fn get(server: &TestServer, call: &str, room: &str) -> Answer {
    let query = [("room_id", room), ("first_comment_id", "1"), ("last_comment_id", "2")];
    server.get(call, &query).await
}

#[tokio::test]
async fn every_call_about_a_room_accepts_its_integer_and_its_unique_id() {
    let server = TestServer::with_support_room().await;
    server.register("cid").await;
    for unique_id in [Some("named by the client é"), None] {
        for room in names(&server, unique_id).await {
            server.post_comment("ana", &room, "hello").await;
            server.post_system_event(&room, "hello").await;
            for call in ["load_comments", "load_comments_with_range", "get_room_participants"] {
                get(&server, call, &room).await.results();
            }
            let one = json!({"room_id": room, "user_ids": ["cid"]});
            server.post("add_room_participants", one.clone()).await.results();
            server.post("remove_room_participants", one).await.results();
            let rename = json!({"room_id": room, "room_name": room});
            assert_eq!(server.post("update_room", rename).await.results()["changed"], true);
            let info = server.get("get_rooms_info", &[("room_ids[]", &room)]).await.results();
            assert_eq!(info["rooms"][0]["room_name"], room);
            let query = [("user_id", "bob"), ("room_ids[]", &*room)];
            let unread = server.get("get_unread_count", &query).await.results();
            assert!(unread["unread_counts"][0]["unread_count"].as_u64() >= Some(2));
        }
    }
}

#[tokio::test]
async fn every_call_about_an_unknown_room_fails_with_not_found() {
    let server = TestServer::with_support_room().await;
    for room in ["nowhere", "12345", "99999999999999999999", "0", "-1"] {
        for call in ["load_comments", "load_comments_with_range", "get_room_participants"] {
            get(&server, call, room).await.refused(404, "room_not_found").says(room);
        }
        let bodies = [
            ("post_comment", json!({"user_id": "ana", "message": "m"})),
            ("post_system_event_message", json!({"system_event_type": "custom", "message": "m"})),
            ("add_room_participants", json!({"user_ids": ["ana"]})),
            ("remove_room_participants", json!({"user_ids": ["ana"]})),
            ("update_room", json!({"room_name": "X"})),
        ];
        for (call, mut body) in bodies {
            body["room_id"] = json!(room);
            server.post(call, body).await.refused(404, "room_not_found").says(room);
        }
    }
}

#[tokio::test]
async fn a_unique_id_of_digits_is_used_unless_a_room_has_that_integer_id() {
    let server = TestServer::with_support_room().await;
    server.create_room("12345", &["ana"]).await;
    server.post_comment("ana", "12345", "by digits").await;
    assert_eq!(server.texts("12345").await, ["by digits"]);

    let [id, _] = names(&server, Some("first")).await;
    server.create_room(&id, &["ana"]).await;
    server.post_comment("ana", &id, "to the integer").await;
    assert_eq!(server.texts("first").await, ["to the integer"], "the integer id takes precedence");
}
