//! Sessions that outlive their connections, and which clients may resume them (D-0042).

use confab_domain::limits;
use mqute_codec::protocol::QoS;
use mqute_codec::protocol::v4::{Packet, PubAck, PubComp, PubRec};
use serde_json::json;

use super::client::called;
use super::{client_of, support_room};
use crate::support::test_server::TestServer;

#[tokio::test]
async fn qos_2_delivers_exactly_once_across_reconnects() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let begin = || called("bob-phone").with_token(&token).lasting();
    let mut bob = begin().by_tcp(&server).await;
    assert!(!bob.has_session(), "no session exists yet");
    assert_eq!(bob.subscribe_at(QoS::ExactlyOnce, &[&format!("{token}/c")]).await, "2");

    // The first message is received completely; the PUBREC of the second is lost with the
    // connection.
    server.post_comment("ana", "support", "one").await;
    assert_eq!(bob.json().await.1["message"], "one");
    bob.ping().await;
    bob.is_polite = false;
    server.post_comment("ana", "support", "two").await;
    let two = bob.message().await;
    drop(bob);
    server.post_comment("ana", "support", "three").await;

    let mut bob = begin().by_tcp(&server).await;
    assert!(bob.has_session());
    bob.is_polite = false;
    let again = bob.message().await;
    assert!(again.flags().dup, "it is marked as a possible duplicate");
    assert_eq!(again.packet_id(), two.packet_id(), "with its first packet id");
    assert_eq!(again.payload(), two.payload());
    let id = two.packet_id().expect("an id");
    bob.send(&PubRec::new(id)).await;
    let three = bob.message().await;
    assert!(!three.flags().dup);
    bob.send(&PubRec::new(three.packet_id().expect("an id"))).await;
    let Some(Packet::PubRel(released)) = bob.packet().await else { panic!("no PUBREL") };
    assert_eq!(released.packet_id(), id);
    drop(bob);

    // The client has both; only their ids are still to be released.
    let mut bob = begin().by_web(&server).await;
    bob.is_polite = false;
    for _ in 0..2 {
        let Some(Packet::PubRel(released)) = bob.packet().await else { panic!("no PUBREL") };
        bob.send(&PubComp::new(released.packet_id())).await;
    }
    bob.is_polite = true;
    server.post_comment("ana", "support", "four").await;
    assert_eq!(bob.json().await.1["message"], "four");
}

#[tokio::test]
async fn a_qos_2_publish_is_delivered_once() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let token = server.token("ana").await;
    let mut ana = called("ana").with_token(&token).by_tcp(&server).await;
    let (typing, topic) = (format!("r/{room}/{room}/+/t"), format!("r/{room}/{room}/ana/t"));
    assert_eq!(ana.subscribe_at(QoS::AtLeastOnce, &[&typing]).await, "1");
    ana.publish_once(&topic, "1").await;
    ana.publish_once(&topic, "0").await;
    let first = ana.message().await;
    assert_eq!((first.payload().as_ref(), first.flags().qos), (&b"1"[..], QoS::AtLeastOnce));
    assert_eq!(ana.shown().await, (topic, "0".to_owned()));
}

#[tokio::test]
async fn a_client_that_sends_its_token_late_receives_the_queued_messages() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let topic = format!("{token}/c");
    let mut bob = called("android-1").lasting().by_tcp(&server).await;
    assert_eq!(bob.subscribe_at(QoS::ExactlyOnce, &[&topic]).await, "2");
    bob.leave().await;
    server.post_comment("ana", "support", "while you were away").await;

    let mut bob = called("android-1").lasting().by_tcp(&server).await;
    assert!(!bob.has_session(), "a session is not resumed before the token");
    assert_eq!(bob.subscribe_at(QoS::ExactlyOnce, &[&topic]).await, "2");
    assert_eq!(bob.json().await.1["message"], "while you were away");
    server.post_comment("ana", "support", "and now").await;
    assert_eq!(bob.json().await.1["message"], "and now", "no duplicates");
}

#[tokio::test]
async fn a_clean_session_discards_queued_messages() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let topic = format!("{token}/c");
    let mut bob = called("bob").with_token(&token).lasting().by_tcp(&server).await;
    assert_eq!(bob.subscribe_at(QoS::AtLeastOnce, &[&topic]).await, "1");
    bob.leave().await;
    let of_ana = server.token("ana").await;
    let mut ana = called("ana").with_token(&of_ana).by_tcp(&server).await;
    assert_eq!(ana.subscribe(&[&format!("{of_ana}/c")]).await, "0");
    server.post_comment("ana", "support", "missed").await;
    assert_eq!(ana.json().await.1["message"], "missed", "it was sent before bob reconnects");
    called("bob").with_token(&token).by_tcp(&server).await.leave().await;
    let mut bob = called("bob").with_token(&token).lasting().by_tcp(&server).await;
    assert!(!bob.has_session());
    assert_eq!(bob.subscribe(&[&topic]).await, "0");
    server.post_comment("ana", "support", "seen").await;
    assert_eq!(bob.json().await.1["message"], "seen");
}

#[tokio::test]
async fn a_second_connection_of_a_client_takes_over_its_session() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let topic = format!("{token}/c");
    let mut old = called("bob").lasting().by_tcp(&server).await;
    old.is_polite = false;
    assert_eq!(old.subscribe_at(QoS::AtLeastOnce, &[&topic]).await, "1");
    server.post_comment("ana", "support", "under way").await;
    let unacknowledged = old.message().await;
    let mut new = called("bob").with_token(&token).lasting().by_web(&server).await;
    assert!(new.has_session());
    assert_eq!(old.closed().await, []);
    let again = new.message().await;
    assert_eq!((again.payload(), again.flags().dup), (unacknowledged.payload(), true));
    server.post_comment("ana", "support", "next").await;
    assert_eq!(new.json().await.1["message"], "next", "its subscriptions were taken over too");
}

#[tokio::test]
async fn another_user_with_the_same_client_id_does_not_take_over_the_session() {
    let server = TestServer::with_support_room().await;
    let (bob_token, ana_token) = (server.token("bob").await, server.token("ana").await);
    let mut bob = called("guessed").lasting().by_tcp(&server).await;
    assert_eq!(bob.subscribe_at(QoS::AtLeastOnce, &[&format!("{bob_token}/c")]).await, "1");
    let anonymous = called("guessed").lasting().by_tcp(&server).await;
    assert!(!anonymous.has_session());
    let ana = called("guessed").with_token(&ana_token).lasting().by_tcp(&server).await;
    assert!(!ana.has_session());
    server.post_comment("ana", "support", "for bob").await;
    assert_eq!(bob.json().await.1["message"], "for bob", "bob is still connected");
}

#[tokio::test]
async fn resetting_a_token_ends_a_disconnected_session() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let mut bob = called("bob").with_token(&token).lasting().by_tcp(&server).await;
    assert_eq!(bob.subscribe_at(QoS::AtLeastOnce, &[&format!("{token}/c")]).await, "1");
    bob.leave().await;
    server.post("reset_user_token", json!({"user_id": "bob"})).await.results();
    let token = server.token("bob").await;
    let bob = called("bob").with_token(&token).lasting().by_tcp(&server).await;
    assert!(!bob.has_session());
}

#[tokio::test]
async fn a_session_above_the_queue_limit_is_discarded() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let begin = || called("bob").with_token(&token).lasting();
    let mut bob = begin().by_tcp(&server).await;
    assert_eq!(bob.subscribe_at(QoS::AtLeastOnce, &[&format!("{token}/c")]).await, "1");
    bob.leave().await;
    let (mut ana, _) = client_of(&server, "ana").await;
    // One above the limit, and one more: a client that receives the last has received all that
    // precede it.
    for number in 0..limits::MQTT_QUEUED_MAX + 2 {
        server.post_comment("ana", "support", &number.to_string()).await;
        assert_eq!(ana.json().await.1["message"], number.to_string());
    }
    assert!(!begin().by_tcp(&server).await.has_session(), "the client must sync by itself");
}

#[tokio::test]
async fn unexpected_acknowledgements_are_ignored() {
    let server = TestServer::with_support_room().await;
    let mut client = called("nobody").by_tcp(&server).await;
    client.send(&PubAck::new(77)).await;
    client.send(&PubComp::new(77)).await;
    client.ping().await;
}
