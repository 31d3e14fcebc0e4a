//! Example events, created on request.

use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

const KINDS: [&str; 9] = [
    "bot",
    "agent_allocation",
    "custom_button",
    "mark_as_resolved",
    "new_session",
    "logout",
    "endpoint_state",
    "channel_message",
    "chat_message",
];

#[tokio::test]
async fn an_example_of_every_kind_creates_a_waiting_delivery() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    for kind in KINDS {
        hooks.register(kind).await;
        let data = hooks.post("/trigger", json!({"kind": kind})).await.data();
        assert_eq!(data["listeners"], 0);
        let id = data["delivery_ids"][0].as_i64().expect("a delivery");
        let delivery = hooks.delivery(id).await;
        assert_eq!((&delivery["kind"], &delivery["standing"]), (&json!(kind), &json!("waiting")));
        assert_eq!((&delivery["attempts"], &delivery["sequence"]), (&json!(0), &json!(1)));
        let is_roomless = ["logout", "endpoint_state"].contains(&kind);
        assert_eq!(delivery["room_id"].is_null(), is_roomless, "{kind}");
        let body: Value =
            serde_json::from_str(delivery["body"].as_str().expect("a text")).expect("JSON");
        assert!(body.is_object());
    }
}

#[tokio::test]
async fn examples_of_one_room_are_numbered_in_order_and_contain_its_id() {
    let server = TestServer::start_quiet().await;
    server.furnish().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let (first, second) = (hooks.trigger("bot").await, hooks.trigger("bot").await);
    let (first, second) = (hooks.delivery(first).await, hooks.delivery(second).await);
    assert_eq!(first["room_id"], second["room_id"]);
    assert_eq!((&first["sequence"], &second["sequence"]), (&json!(1), &json!(2)));
    let data = hooks.post("/trigger", json!({"kind": "bot", "room_id": "support"})).await.data();
    let of_room = hooks.delivery(data["delivery_ids"][0].as_i64().expect("an id")).await;
    let rooms = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    let room = &rooms["rooms"][0]["room_id"];
    assert_eq!((&of_room["room_id"], &of_room["sequence"]), (room, &json!(1)));
    let body: Value = serde_json::from_str(of_room["body"].as_str().expect("text")).expect("JSON");
    assert_eq!(body["payload"]["room"]["id_str"], *room);
}

#[tokio::test]
async fn an_example_without_an_enabled_endpoint_creates_no_delivery() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let nothing = json!({"delivery_ids": [], "listeners": 0});
    assert_eq!(hooks.post("/trigger", json!({"kind": "bot"})).await.data(), nothing);
    let body = json!({"url": "https://a.example/", "is_enabled": false});
    hooks.put("/endpoints/bot", body).await.data();
    assert_eq!(hooks.post("/trigger", json!({"kind": "bot"})).await.data(), nothing);
    assert_eq!(hooks.list(&[]).await, (vec![], None));
}

#[tokio::test]
async fn an_invalid_trigger_is_refused() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.post("/trigger", json!({})).await.errors(400, "invalid_request").says("kind is required");
    let answer = hooks.post("/trigger", json!({"kind": "auth"})).await;
    answer.errors(400, "invalid_request").says("kind must be one of bot");
    let answer = hooks.post("/trigger", json!({"kind": "bot", "room_id": "nowhere"})).await;
    answer.errors(404, "room_not_found").says("nowhere");
    let answer = hooks.post("/trigger", json!({"kind": "bot", "room_id": {}})).await;
    answer.errors(400, "invalid_request").says("room_id");
}

#[tokio::test]
async fn a_custom_example_body_is_sent_byte_for_byte_and_signed() {
    let server = TestServer::start().await;
    let receiver = Receiver::start().await;
    server.tell("bot", &receiver.base, &json!({})).await;
    let own = r#"{"z": 1.0, "a": {"text": "Grüße"}, "big": 12345678901234567890}"#;
    let hooks = Hooks::of(&server);
    hooks.post("/trigger", json!({"kind": "bot", "body": own})).await.data();
    let received = receiver.next().await;
    assert_eq!(received.text(), own);
    received.check_signature("secret-key-of-shop");
    for wrong in [json!("{"), json!("[1]"), json!(7), json!([])] {
        let answer = hooks.post("/trigger", json!({"kind": "bot", "body": wrong})).await;
        answer.errors(400, "invalid_request").says("body");
    }
    let large = json!({"text": "x".repeat(131_072)});
    let answer = hooks.post("/trigger", json!({"kind": "bot", "body": large})).await;
    answer.errors(400, "invalid_request").says("131072 bytes");
}

#[tokio::test]
async fn the_push_kind_has_no_example() {
    let server = TestServer::start_quiet().await;
    let answer = Hooks::of(&server).post("/trigger", json!({"kind": "push"})).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
}
