//! Clients that send invalid packets or too many of them, or do not read.

use std::time::{Duration, Instant};

use bytes::Bytes;
use confab_domain::limits;
use mqute_codec::protocol::v4::{ConnAck, ConnectReturnCode, Packet};
use serde_json::json;

use super::client::{MqttClient, called};
use super::{client_of, support_room};
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_malformed_packet_closes_the_connection() {
    let server = TestServer::with_support_room().await;
    let first: [&[u8]; 7] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00\x00",
        b"\xff\xff\xff\xff\xff\xff",
        b"\x10\x06\x00\x04MQTT",
        b"\x30\xff\xff\xff\x7f",
        b"\xc0\x00",
        b"\x10\x02\x00\x00",
    ];
    for bytes in first {
        for mut client in [MqttClient::tcp(server.mqtt).await, MqttClient::web(&server).await] {
            client.send_bytes(Bytes::from_static(bytes)).await;
            assert_eq!(client.closed().await, [], "{bytes:x?}");
        }
    }
    let later: [&[u8]; 5] = [
        b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02ab",
        b"\x82\x02\x00\x01",
        b"\x82\x06\x00\x00\x00\x01a\x00",
        b"\x40\x02\x00\x00",
        b"\x30\x03\x00\x01#",
    ];
    for bytes in later {
        let mut client = called("malformed").by_tcp(&server).await;
        client.send_bytes(Bytes::from_static(bytes)).await;
        assert_eq!(client.closed().await, [], "{bytes:x?}");
    }
    client_of(&server, "ana").await.0.ping().await;
}

#[tokio::test]
async fn another_version_or_a_persistent_session_without_a_client_id_is_refused() {
    let server = TestServer::start().await;
    let beginnings: [(&[u8], _); 2] = [
        (
            b"\x10\x0f\x00\x04MQTT\x05\x02\x00\x3c\x00\x00\x02ab",
            ConnectReturnCode::UnacceptableProtocolVersion,
        ),
        (b"\x10\x0c\x00\x04MQTT\x04\x00\x00\x3c\x00\x00", ConnectReturnCode::IdentifierRejected),
    ];
    for (bytes, code) in beginnings {
        let mut client = MqttClient::tcp(server.mqtt).await;
        client.send_bytes(Bytes::from_static(bytes)).await;
        assert_eq!(client.closed().await, [Packet::ConnAck(ConnAck::new(code, false))]);
    }
}

#[tokio::test]
async fn an_oversized_packet_closes_the_connection() {
    let server = TestServer::with_support_room().await;
    let mut by_tcp = called("large").by_tcp(&server).await;
    by_tcp.send_bytes(Bytes::from_static(b"\x30\x81\x80\x10")).await;
    assert_eq!(by_tcp.closed().await, [], "the announced length suffices");
    let mut by_web = called("large").by_web(&server).await;
    by_web.publish_unread("u/ana/s", vec![b'1'; 300_000]).await;
    assert_eq!(by_web.closed().await, []);
}

#[tokio::test]
async fn a_client_silent_beyond_its_keep_alive_is_disconnected() {
    let server = TestServer::start().await;
    let started = Instant::now();
    let mut client = called("silent").alive_for(1).by_tcp(&server).await;
    assert_eq!(client.closed().await, []);
    // One and a half times the keep-alive that the client announced.
    assert!(started.elapsed() >= Duration::from_millis(1_500), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_flood_is_throttled_and_messages_of_others_still_arrive() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    let topic = format!("r/{room}/{room}/ana/t");
    let started = Instant::now();
    for _ in 0..5_000 {
        ana.publish_unread(&topic, "1").await;
    }
    assert_eq!(bob.subscribe(&[&topic]).await, "0");
    server.post_comment("bob", "support", "hello").await;
    let mut typed = 0_u32;
    loop {
        let (topic, payload) = bob.shown().await;
        if topic.ends_with("/c") {
            assert!(payload.contains("hello"));
            break;
        }
        typed += 1;
    }
    // The packets of the burst, and those that the client may send in the elapsed time.
    let burst = limits::MQTT_PACKETS_BURST / limits::MQTT_PUBLISH_COST;
    let per_second = limits::MQTT_PACKETS_PER_SECOND / limits::MQTT_PUBLISH_COST;
    let allowed = f64::from(burst + 1) + f64::from(per_second) * started.elapsed().as_secs_f64();
    assert!(f64::from(typed) <= allowed, "{typed} typing events passed, {allowed} are allowed");
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected_without_affecting_others() {
    let server = TestServer::with_support_room().await;
    let (mut stalled, _) = client_of(&server, "bob").await;
    stalled.publish("u/bob/s", "1").await;
    let (mut ana, _) = client_of(&server, "ana").await;
    assert_eq!(ana.subscribe(&["u/bob/s"]).await, "0");
    assert!(ana.shown().await.1.starts_with('1'));
    let content = "x".repeat(60_000);
    let payload = json!({"type": "large", "content": {"text": content}});
    let mut offline = Vec::new();
    for _ in 0..200 {
        server.post_typed("ana", "support", "custom", payload.clone()).await.results();
        // If posting is slow, the client is disconnected in between.
        let shown = loop {
            match ana.shown().await {
                (topic, payload) if topic == "u/bob/s" => offline.push(payload),
                (_, payload) => break payload,
            }
        };
        assert!(shown.contains(r#""type":"custom""#), "other clients receive it");
    }
    if offline.is_empty() {
        offline.push(ana.shown().await.1);
    }
    assert_eq!((offline.len(), &offline[0][..2]), (1, "0:"), "the client is disconnected");
}

#[tokio::test]
async fn a_message_reaches_300_connections_of_one_user() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let topic = format!("{token}/c");
    let mut clients = Vec::new();
    for number in 0..300 {
        let mut client = called(&format!("bob-{number}")).by_tcp(&server).await;
        assert_eq!(client.subscribe(&[&topic]).await, "0");
        clients.push(client);
    }
    server.post_comment("ana", "support", "to all of them").await;
    for client in &mut clients {
        assert_eq!(client.json().await.1["message"], "to all of them");
    }
}
