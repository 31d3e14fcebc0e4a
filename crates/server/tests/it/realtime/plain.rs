//! `/realtime` over WebSocket with JSON frames.

use serde_json::json;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::watcher::Watcher;
use crate::support::client::Client;
use crate::support::test_server::TestServer;

fn message(text: &str) -> (String, String) {
    ("message".to_owned(), text.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_reaches_only_the_participants_of_its_room() {
    let server = TestServer::with_support_room().await;
    server.register("eve").await;
    server.create_room("elsewhere", &["eve"]).await;
    let mut ana = Watcher::start(&server, "ana").await;
    let mut bob = Watcher::start(&server, "bob").await;
    let mut eve = Watcher::start(&server, "eve").await;
    server.post_comment("ana", "support", "hello").await;
    server.post_comment("eve", "elsewhere", "alone").await;
    let shown = bob.next().await;
    assert_eq!(shown["type"], "message");
    assert_eq!(shown["data"]["message"], "hello");
    assert_eq!(shown["data"]["email"], "ana");
    assert_eq!(ana.next_text().await, message("hello"), "the sender receives it too");
    assert_eq!(eve.next_text().await, message("alone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_is_sent_to_connected_clients() {
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::start(&server, "bob").await;
    let posted = server.post_comment("ana", "support", "hello").await;
    let unique_id = posted["unique_temp_id"].as_str().expect("an id").to_owned();
    server.delete_messages(&[&unique_id]).await;
    assert_eq!(bob.next_text().await, message("hello"));
    let gone = bob.next().await;
    assert_eq!(gone["type"], "messages_deleted");
    assert_eq!(gone["data"]["unique_ids"], json!([unique_id]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reconnected_client_receives_missed_events_once_and_in_order() {
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::start(&server, "bob").await;
    server.post_comment("ana", "support", "seen").await;
    assert_eq!(bob.next_text().await, message("seen"));
    let seen = bob.vanish();
    let first = server.post_comment("ana", "support", "first").await;
    server.post_comment("bob", "support", "second").await;
    server.delete_messages(&[first["unique_temp_id"].as_str().expect("an id")]).await;
    let mut bob = Watcher::resume(&server, "bob", &seen).await;
    server.post_comment("ana", "support", "third").await;
    assert_eq!(bob.next_text().await, message("second"), "the deleted message is not sent again");
    assert_eq!(bob.next().await["type"], "messages_deleted");
    assert_eq!(bob.next_text().await, message("third"));
}

#[tokio::test(flavor = "multi_thread")]
async fn frequent_reconnects_cause_neither_lost_nor_duplicate_messages() {
    const MESSAGES: usize = 300;
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::start(&server, "bob").await;
    let app = server.clone();
    let posting = tokio::spawn(async move {
        for number in 0..MESSAGES {
            app.post_comment("ana", "support", &number.to_string()).await;
        }
    });
    let mut seen = Vec::new();
    while seen.len() < MESSAGES {
        let (_, text) = bob.next_text().await;
        seen.push(text);
        if seen.len() % 17 == 0 {
            let last = bob.vanish();
            bob = Watcher::resume(&server, "bob", &last).await;
        }
    }
    posting.await.expect("posts");
    let expected: Vec<_> = (0..MESSAGES).map(|number| number.to_string()).collect();
    assert_eq!(seen, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_and_custom_events_reach_other_participants() {
    let server = TestServer::with_support_room().await;
    let room = "support";
    let (mut ana, mut bob) =
        (Watcher::start(&server, "ana").await, Watcher::start(&server, "bob").await);
    ana.say(&json!({"type": "typing", "room_id": room, "is_typing": true}).to_string()).await;
    let typing = bob.next().await;
    assert_eq!(typing["type"], "typing");
    assert_eq!(typing["data"]["user_id"], "ana");
    let event = json!({"type": "custom_event", "room_id": room, "data": {"b": 1, "a": 1.0}});
    ana.say(&event.to_string()).await;
    let custom = bob.next().await;
    assert_eq!(custom["data"]["data"], json!({"b": 1, "a": 1.0}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typing_event_from_outside_the_room_is_refused() {
    let server = TestServer::with_support_room().await;
    server.register("eve").await;
    let room = "support";
    let mut eve = Watcher::start(&server, "eve").await;
    eve.say(&json!({"type": "typing", "room_id": room, "is_typing": true}).to_string()).await;
    assert_eq!(eve.next().await["type"], "error");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_participant_receives_no_messages_of_the_room() {
    let server = TestServer::with_support_room().await;
    server.create_room("other", &["ana", "bob"]).await;
    let mut bob = Watcher::start(&server, "bob").await;
    server.post_comment("ana", "support", "before").await;
    assert_eq!(bob.next_text().await, message("before"));
    let gone = json!({"room_id": "support", "user_ids": ["bob"]});
    server.post("remove_room_participants", gone).await.results();
    server.post_comment("ana", "support", "secret").await;
    server.post_comment("ana", "other", "after").await;
    assert_eq!(bob.next_text().await, message("after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_token_is_refused_and_resetting_a_token_closes_its_connection() {
    let server = TestServer::with_support_room().await;
    assert!(Watcher::try_start(&server, "nonsense", "").await.is_err());
    assert!(Watcher::try_start(&server, "", "").await.is_err());
    let mut bob = Watcher::start(&server, "bob").await;
    let old = server.token("bob").await;
    server.post("reset_user_token", json!({"user_id": "bob"})).await.results();
    assert_eq!(bob.closed().await, CloseCode::Policy);
    assert!(Watcher::try_start(&server, &old, "").await.is_err());
    Watcher::start(&server, "bob").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_do_not_reach_users_of_another_app() {
    let server = TestServer::with_support_room().await;
    let bank = server.create_app("bank").await;
    bank.furnish().await;
    let mut foreign = Watcher::start(&bank, "bob").await;
    server.post_comment("ana", "support", "ours").await;
    bank.post_comment("ana", "support", "theirs").await;
    assert_eq!(foreign.next_text().await, message("theirs"));
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_frames_get_an_error_and_a_flood_closes_the_connection() {
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::start(&server, "bob").await;
    bob.say("{").await;
    assert_eq!(bob.next().await["type"], "error");
    bob.say(r#"{"type":"ping"}"#).await;
    assert_eq!(bob.next().await["type"], "pong");
    bob.say_often(r#"{"type":"ping"}"#, 200).await;
    assert_eq!(bob.closed().await, CloseCode::Policy);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_cursor_is_refused() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    assert!(Watcher::try_start(&server, &token, "not-a-cursor!").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_an_expired_cursor_must_resync_and_then_receives_messages() {
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::resume(&server, "bob", "1").await;
    assert_eq!(bob.next().await["type"], "resync");
    server.post_comment("ana", "support", "now").await;
    assert_eq!(bob.next_text().await, message("now"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_of_a_channel_is_not_notified_when_a_participant_clears_it() {
    let server = TestServer::with_support_room().await;
    let channel = json!({"unique_id": "news", "name": "News"});
    server.post("get_or_create_channel", channel).await.results();
    server.post("add_room_participants", json!({"room_id": "news", "user_ids": ["ana"]})).await;
    let mut bob = Watcher::start(&server, "bob").await;
    bob.follow("news").await;
    server.post_comment("ana", "news", "before").await;
    assert_eq!(bob.next_text().await, message("before"));
    let ana = Client::of(&server, "ana").await;
    let rooms = json!({"room_channel_ids": ["news"]});
    ana.delete("clear_room_messages", rooms).await.results();
    server.post_comment("ana", "news", "after").await;
    assert_eq!(bob.next_text().await, message("after"));
}
