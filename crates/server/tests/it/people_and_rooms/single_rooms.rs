//! `get_or_create_room_with_target`: a pair of users has one single room.

use serde_json::json;

use crate::support::answer::text;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_pair_of_users_has_one_room_in_either_order() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let body = json!({"user_ids": ["ana", "bob"], "room_options": "{\"a\":1}"});
    let first = server.post("get_or_create_room_with_target", body).await.results();
    let room = &first["room"];
    assert_eq!((&room["room_type"], &room["room_name"]), (&json!("single"), &json!("")));
    assert_eq!(
        (&room["room_channel_id"], &room["room_options"]),
        (&json!(""), &json!("{\"a\":1}"))
    );
    let body = json!({"user_ids": ["bob", "ana"], "room_options": "other"});
    let again = server.post("get_or_create_room_with_target", body).await.results();
    assert_eq!(again, first, "options are set only when the room is created");
    assert_eq!(server.participants(text(&room["room_id"])).await, ["ana", "bob"]);
    let body = json!({"user_ids": ["ana", "cid"]});
    let other = server.post("get_or_create_room_with_target", body).await.results();
    assert_ne!(other["room"]["room_id"], room["room_id"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_for_a_pair_get_the_same_room() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let asking: Vec<_> = (0..16)
        .map(|number| {
            let caller = server.clone();
            let pair = if number % 2 == 0 { ["ana", "bob"] } else { ["bob", "ana"] };
            tokio::spawn(async move {
                let body = json!({"user_ids": pair});
                let results = caller.post("get_or_create_room_with_target", body).await.results();
                text(&results["room"]["room_id"]).to_owned()
            })
        })
        .collect();
    let mut rooms = std::collections::HashSet::new();
    for room in asking {
        rooms.insert(room.await.expect("answered"));
    }
    assert_eq!(rooms.len(), 1);
}

#[tokio::test]
async fn exactly_two_different_existing_users_must_be_named() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    for wrong in [json!([]), json!(["ana"]), json!(["ana", "ana"]), json!(["ana", "bob", "cid"])] {
        let body = json!({"user_ids": wrong});
        let answer = server.post("get_or_create_room_with_target", body).await;
        answer.refused(400, "invalid_request").says("user_ids");
    }
    let body = json!({"user_ids": ["ana", "nobody"]});
    let answer = server.post("get_or_create_room_with_target", body).await;
    answer.refused(404, "user_not_found").says("nobody");
    let body = json!({"user_ids": ["ana", "system@shop"]});
    let answer = server.post("get_or_create_room_with_target", body).await;
    answer.refused(403, "system_user");
    let rooms = server.get("get_user_rooms", &[("user_id", "ana")]).await.results();
    assert_eq!(rooms["meta"]["total_room"], 0);
}

#[tokio::test]
async fn participants_of_a_single_room_cannot_be_changed() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let body = json!({"user_ids": ["ana", "bob"]});
    let results = server.post("get_or_create_room_with_target", body).await.results();
    let room = text(&results["room"]["room_id"]);
    for (call, user) in [("add_room_participants", "cid"), ("remove_room_participants", "bob")] {
        let body = json!({"room_id": room, "user_ids": [user]});
        server.post(call, body).await.refused(400, "wrong_room_type");
    }
    assert_eq!(server.participants(room).await, ["ana", "bob"]);
}
