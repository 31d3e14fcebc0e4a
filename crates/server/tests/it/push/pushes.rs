//! Contents and recipients of push notifications.

use std::time::Duration;

use mqute_codec::protocol::QoS;
use serde_json::{Value, json};

use super::stage::{Stage, register_device};
use crate::realtime::mqtt::client::called;
use crate::realtime::watcher::Watcher;
use crate::support::client::Client;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_message_is_pushed_to_the_other_participant_and_not_to_the_sender() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    server.post_comment("ana", "support", "hello").await;
    let pushed = apple.taken().await;
    assert_eq!((pushed.device.as_str(), pushed.push_type.as_str()), ("b0b0", "alert"));
    assert_eq!(pushed.lines(), ("The support room".to_owned(), "Ana: hello".to_owned()));
    let comment = &server.load_comments("support").await[0];
    assert_eq!(pushed.shown()["payload"]["comment_id"], comment["id"]);
    assert_eq!(pushed.shown()["payload"]["unique_temp_id"], comment["unique_id"]);
    server.post_comment("bob", "support", "and back").await;
    assert_eq!(apple.taken().await.device, "a0a0");
    assert!(apple.is_quiet().await);
}

#[tokio::test]
async fn a_system_event_is_pushed_to_all_participants() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    server.post_system_event("support", "Cid joined").await;
    let (one, other) = (apple.taken().await, apple.taken().await);
    let mut devices = [one.device.as_str(), other.device.as_str()];
    devices.sort_unstable();
    assert_eq!(devices, ["a0a0", "b0b0"]);
    assert_eq!(one.lines(), ("The support room".to_owned(), "Cid joined".to_owned()));
    assert_ne!(one.id, other.id);
}

#[tokio::test]
async fn a_broadcast_is_pushed_to_its_targets() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    let body = json!({"sender_user_id": "ana", "target_user_ids": ["bob"], "message": "news"});
    server.post("broadcast", body).await.results();
    let pushed = apple.taken().await;
    assert_eq!(pushed.device, "b0b0");
    assert_eq!(pushed.lines(), ("Ana".to_owned(), "news".to_owned()));
}

#[tokio::test]
async fn a_custom_payload_replaces_the_payload_of_the_push() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    let own = json!({"aps": {"alert": "Ana joined", "badge": 3}, "deep": [1, {"x": "y"}]});
    let mut body = json!({
        "system_event_type": "custom", "room_id": "support", "message": "m",
        "extras": {"service_ios_pn": own},
    });
    server.post("post_system_event_message", body.take()).await.results();
    assert_eq!(apple.taken().await.shown(), own);
    assert_eq!(apple.taken().await.shown(), own);
    let silent = json!({"aps": {"content-available": 1}});
    let extras = json!({"service_ios_pn": silent});
    let body = json!({"user_id": "ana", "room_id": "support", "message": "m", "extras": extras});
    server.post("post_comment", body).await.results();
    let pushed = apple.taken().await;
    assert_eq!((pushed.shown(), pushed.push_type.as_str()), (silent, "background"));
}

#[tokio::test]
async fn a_connected_user_gets_no_push() {
    let stage = stage_with_devices().await;
    let mut bob = Watcher::start(&stage.server, "bob").await;
    stage.server.post_comment("ana", "support", "hello").await;
    assert_eq!(bob.next_text().await.1, "hello");
    let push = stage.settled().await;
    assert_eq!((&push["standing"], &push["last_error"]), (&json!("failed"), &json!("superseded")));
    assert!(stage.apple.is_quiet().await);
}

#[tokio::test]
async fn messages_of_a_blocked_user_are_not_pushed_to_the_blocking_user() {
    let stage = stage_with_devices().await;
    let bob = Client::of(&stage.server, "bob").await;
    bob.post("block_user", json!({"user_email": "ana"})).await.results();
    stage.server.post_comment("ana", "support", "buy this").await;
    let push = stage.settled().await;
    assert_eq!((&push["standing"], &push["last_error"]), (&json!("failed"), &json!("superseded")));
    // Neither user is separated from others.
    stage.server.post_system_event("support", "Cid joined").await;
    let mut devices = [stage.apple.taken().await.device, stage.apple.taken().await.device];
    devices.sort_unstable();
    assert_eq!(devices, ["a0a0", "b0b0"]);
    bob.post("unblock_user", json!({"user_email": "ana"})).await.results();
    stage.server.post_comment("ana", "support", "sorry").await;
    assert_eq!(stage.apple.taken().await.lines().1, "Ana: sorry");
    assert!(stage.apple.is_quiet().await);
}

#[tokio::test]
async fn a_user_who_logged_out_gets_no_push_until_a_device_is_registered() {
    for call in ["logout", "expire_user_token"] {
        let Stage { server, apple, .. } = &stage_with_devices().await;
        let bob = Client::of(server, "bob").await;
        bob.post(call, json!({})).await.results();
        server.post_system_event("support", "not for bob").await;
        assert_eq!(apple.taken().await.device, "a0a0");
        assert!(apple.is_quiet().await, "{call}");
        register_device(server, "bob", "b0b0").await;
        server.post_comment("ana", "support", "back again").await;
        assert_eq!(apple.taken().await.device, "b0b0");
    }
}

#[tokio::test]
async fn refreshing_a_token_keeps_the_device() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    let bob = Client::of(server, "bob").await;
    bob.post("refresh_user_token", json!({"user_id": "bob"})).await.results();
    server.post_comment("ana", "support", "hello").await;
    assert_eq!(apple.taken().await.device, "b0b0");
}

#[tokio::test]
async fn a_device_gets_pushes_only_for_the_user_who_registered_it_last() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    register_device(&other, "bob", "b0b0").await;
    server.register("cid").await;
    register_device(server, "cid", "b0b0").await;
    server.post_comment("ana", "support", "not for cid").await;
    assert!(apple.is_quiet().await, "the device no longer belongs to bob");
    // A registration in another app is independent.
    other.post_comment("ana", "support", "for the other bob").await;
    assert_eq!(apple.taken().await.lines().1, "Ana: for the other bob");
}

#[tokio::test]
async fn a_disconnected_user_with_an_mqtt_session_gets_pushes() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    let token = server.token("bob").await;
    let begin = || called("bob-phone").with_token(&token).lasting();
    let mut bob = begin().by_tcp(server).await;
    assert_eq!(bob.subscribe_at(QoS::AtLeastOnce, &[&format!("{token}/c")]).await, "1");
    bob.leave().await;
    server.post_comment("ana", "support", "hello").await;
    assert_eq!(apple.taken().await.device, "b0b0");
    let mut bob = begin().by_tcp(server).await;
    assert_eq!(
        bob.json().await.1["message"],
        "hello",
        "the message is also kept in the MQTT session"
    );
    server.post_comment("ana", "support", "you are back").await;
    assert_eq!(bob.json().await.1["message"], "you are back");
    assert!(apple.is_quiet().await);
}

#[tokio::test]
async fn pushes_share_one_provider_token_and_one_connection() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    for number in 0..20 {
        server.post_comment("ana", "support", &format!("message {number}")).await;
    }
    let first = apple.taken().await;
    for number in 1..20 {
        let pushed = apple.taken().await;
        assert_eq!(pushed.token, first.token);
        assert_eq!(pushed.lines().1, format!("Ana: message {number}"), "in order");
    }
    assert_eq!(apple.connections(), 1);
    apple.hang_up().await;
    server.post_comment("ana", "support", "once more").await;
    assert_eq!(apple.taken().await.lines().1, "Ana: once more");
    assert_eq!(apple.connections(), 2, "a closed connection is replaced");
}

#[tokio::test]
async fn a_long_message_is_truncated_to_the_limit_of_the_push_service() {
    let Stage { server, apple, .. } = &stage_with_devices().await;
    server.post_comment("ana", "support", &"👍".repeat(3_000)).await;
    let pushed = apple.taken().await;
    assert!(pushed.text.len() <= 4_096 && pushed.lines().1.ends_with("👍…"));
}

#[tokio::test]
async fn the_webhook_api_lists_and_pauses_pushes_without_device_tokens() {
    let Stage { server, apple, hooks } = &stage_with_devices().await;
    server.post_comment("ana", "support", "hello").await;
    apple.taken().await;
    let endpoints = hooks.get("/endpoints", &[]).await.data();
    let kinds = endpoints["endpoints"].as_array().expect("a list");
    assert_eq!(kinds.iter().map(|it| &it["kind"]).collect::<Vec<_>>(), ["push"]);
    hooks.post("/endpoints/push/pause", json!({})).await.data();
    // The delivery engine applies the pause a moment later.
    for number in 0.. {
        server.post_comment("ana", "support", &format!("later {number}")).await;
        if apple.next_within(Duration::from_secs(2)).await.is_none() {
            break;
        }
    }
    let (ids, _) = hooks.list(&[("kind", "push")]).await;
    let waiting = hooks.delivery(ids[0]).await;
    assert_eq!(waiting["standing"], "waiting");
    assert!(!waiting.to_string().contains("b0b0"), "{waiting}");
    assert!(waiting["body"].as_str().expect("a text").contains(r#""device_token":"***""#));
    hooks.post("/endpoints/push/resume", json!({})).await.data();
    assert!(apple.taken().await.lines().1.starts_with("Ana: later"));
    hooks.post("/trigger", json!({"kind": "push"})).await.errors(400, "no_example");
}

#[tokio::test]
async fn without_push_settings_no_push_is_created() {
    let server = TestServer::with_support_room().await;
    register_device(&server, "bob", "b0b0").await;
    server.post_comment("ana", "support", "hello").await;
    assert_eq!(Hooks::of(&server).list(&[]).await.0, Vec::<i64>::new());
    let endpoints: Value = Hooks::of(&server).get("/endpoints", &[]).await.data();
    assert_eq!(endpoints["endpoints"], json!([]));
}

async fn stage_with_devices() -> Stage {
    let stage = Stage::start().await;
    register_device(&stage.server, "ana", "a0a0").await;
    register_device(&stage.server, "bob", "b0b0").await;
    stage
}
