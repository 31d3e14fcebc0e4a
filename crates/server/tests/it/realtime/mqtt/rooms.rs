//! Events that participants of a room receive.

use serde_json::json;

use super::client::called;
use super::{client_of, support_room};
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_message_reaches_all_participants_with_every_field() {
    let server = TestServer::with_support_room().await;
    let (mut ana, ana_token) = client_of(&server, "ana").await;
    let bob_token = server.token("bob").await;
    let mut bob = called("shop_undefined_1").by_web(&server).await;
    assert_eq!(bob.subscribe(&[&format!("{bob_token}/c")]).await, "0");

    let posted = server.post_comment("ana", "support", "hello").await;

    for (client, token) in [(&mut ana, ana_token), (&mut bob, bob_token)] {
        let (topic, shown) = client.json().await;
        assert_eq!(topic, format!("{token}/c"));
        assert_eq!(shown["message"], "hello");
        assert_eq!(shown["id"], posted["id"]);
        assert_eq!(shown["email"], "ana");
        assert_eq!(shown["unique_temp_id"], posted["unique_temp_id"]);
        assert_eq!(shown["chat_type"], "group");
        assert_eq!(shown["raw_room_name"], "The support room");
        assert!(shown["user_avatar"].is_string(), "{shown}");
        for field in ["room_options", "created_at", "room_id_str", "comment_before_id", "status"] {
            assert!(!shown[field].is_null(), "{field} of {shown}");
        }
    }
}

#[tokio::test]
async fn a_deletion_is_sent_to_participants() {
    let server = TestServer::with_support_room().await;
    server.post_as_unique("ana", "support", "hello", "uid-1").await.results();
    let (mut bob, token) = client_of(&server, "bob").await;

    server.delete_messages(&["uid-1"]).await.results();

    let (topic, shown) = bob.json().await;
    assert_eq!(topic, format!("{token}/n"));
    assert_eq!(shown["action_topic"], "delete_message");
    let deleted = json!([{
        "room_id": support_room(&server).await, "message_unique_ids": ["uid-1"],
    }]);
    assert_eq!(shown["payload"]["data"]["deleted_messages"], deleted);
}

#[tokio::test]
async fn messages_arrive_in_the_order_of_their_room() {
    let server = TestServer::with_support_room().await;
    let (mut bob, _) = client_of(&server, "bob").await;
    for number in 0..200 {
        server.post_comment("ana", "support", &format!("{number}")).await;
    }
    for number in 0..200 {
        assert_eq!(bob.json().await.1["message"], format!("{number}"));
    }
}

#[tokio::test]
async fn typing_is_sent_only_between_participants_and_in_their_own_name() {
    let server = TestServer::with_support_room().await;
    server.register("eve").await;
    let room = support_room(&server).await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    let (mut eve, _) = client_of(&server, "eve").await;
    assert_eq!(bob.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "0");
    assert_eq!(eve.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "x");

    // In her own name, in a room she is not in; then in the name of a participant.
    eve.publish(&format!("r/{room}/{room}/eve/t"), "1").await;
    eve.publish(&format!("r/{room}/{room}/ana/t"), "1").await;
    ana.publish(&format!("r/{room}/{room}/bob/t"), "1").await;
    ana.publish(&format!("r/{room}/{room}/ana/t"), "nonsense").await;
    ana.publish(&format!("r/{room}/{room}/ana/t"), "0").await;

    let shown = (format!("r/{room}/{room}/ana/t"), "0".to_owned());
    assert_eq!(bob.shown().await, shown, "no event arrived before it");
}

#[tokio::test]
async fn overlapping_filters_deliver_an_event_once_and_unsubscribed_ones_never() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let topic = format!("r/{room}/{room}/ana/t");
    let filters = [&format!("r/{room}/+/+/t"), &format!("r/{room}/{room}/+/t"), &topic];
    assert_eq!(ana.subscribe(&filters.map(String::as_str)).await, "000");
    ana.publish(&topic, "1").await;
    ana.publish(&topic, "0").await;
    assert_eq!(ana.shown().await, (topic.clone(), "1".to_owned()));
    assert_eq!(ana.shown().await, (topic.clone(), "0".to_owned()), "each event arrived once");
    ana.unsubscribe(&filters.map(String::as_str)).await;
    ana.publish(&topic, "1").await;
    server.post_comment("bob", "support", "hello").await;
    assert_eq!(
        ana.json().await.1["message"],
        "hello",
        "no typing event arrived after the unsubscription"
    );
}

#[tokio::test]
async fn custom_events_are_sent_unchanged_unless_they_are_no_json_or_too_large() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    let topic = format!("r/{room}/{room}/e");
    assert_eq!(bob.subscribe(&[&topic]).await, "0");
    let large = format!("{{\"data\":\"{}\"}}", "x".repeat(5_000));
    ana.publish(&topic, "no JSON").await;
    ana.publish(&topic, large).await;
    let event = r#"{"sender":"ana", "data":{"n":1.50}}"#;
    ana.publish(&topic, event).await;
    assert_eq!(bob.shown().await, (topic, event.to_owned()));
}

#[tokio::test]
async fn a_removed_participant_receives_and_publishes_no_events_of_the_room() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let (mut bob, bob_token) = client_of(&server, "bob").await;
    assert_eq!(bob.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "0");
    let body = json!({"room_id": "support", "user_ids": ["bob"]});
    server.post("remove_room_participants", body).await.results();
    server.create_room("other", &["ana", "bob"]).await;

    server.post_comment("ana", "support", "about bob").await;
    ana.publish(&format!("r/{room}/{room}/ana/t"), "1").await;
    bob.publish(&format!("r/{room}/{room}/bob/t"), "1").await;
    server.post_comment("ana", "other", "to bob").await;

    let (topic, shown) = bob.json().await;
    assert_eq!((topic, &shown["message"]), (format!("{bob_token}/c"), &json!("to bob")));
}

#[tokio::test]
async fn a_user_outside_a_public_channel_can_subscribe_to_it() {
    let server = TestServer::with_support_room().await;
    let body = json!({"unique_id": "news", "name": "News"});
    server.post("get_or_create_channel", body).await.results();
    let body = json!({"room_id": "news", "user_ids": ["ana"]});
    server.post("add_room_participants", body).await.results();
    let (mut bob, _) = client_of(&server, "bob").await;
    assert_eq!(bob.subscribe(&["shop/news/c", "shop/support/c", "other/news/c"]).await, "0xx");
    server.post_comment("ana", "news", "extra").await;
    let (topic, shown) = bob.json().await;
    assert_eq!((topic.as_str(), &shown["message"]), ("shop/news/c", &json!("extra")));
}
