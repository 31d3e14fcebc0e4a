//! Harmful clients: the server stays up, other clients do not notice, and memory per client is
//! bounded.

use std::time::{Duration, Instant};

use confab_domain::limits;
use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use mqute_codec::protocol::v4::{Packet, Unsubscribe};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::mqtt::client::{MqttClient, called};
use super::mqtt::{client_of, support_room};
use super::watcher::{SOON, Watcher};
use crate::support::test_server::TestServer;

/// Longest wait for any read.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a connection with a small receive buffer.
async fn narrow(server: &TestServer) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let address = server.base.trim_start_matches("http://").parse().expect("an address");
    socket.connect(address).await.expect("connected")
}

/// Posts as ana until she is notified that bob is offline. Asserts that she receives each message.
async fn post_until_bob_is_disconnected(server: &TestServer) {
    let mut ana = Watcher::start(server, "ana").await;
    ana.say(&json!({"type": "watch", "user_id": "bob"}).to_string()).await;
    ana.say(r#"{"type":"ping"}"#).await;
    assert_eq!(ana.next().await["type"], "pong");
    let payload = json!({"type": "large", "content": {"text": "x".repeat(60_000)}});
    let started = Instant::now();
    let mut posted = 0;
    let mut is_gone = false;
    while posted < 200 {
        server.post_typed("ana", "support", "custom", payload.clone()).await.results();
        posted += 1;
        let mut frame = ana.next().await;
        if shows_offline(&frame) {
            is_gone = true;
            frame = ana.next().await;
        }
        assert_eq!(frame["data"]["type"], "custom", "ana receives her own message");
    }
    while !is_gone {
        let next = tokio::time::timeout(PATIENCE, ana.next_patiently())
            .await
            .expect("bob is disconnected in time");
        is_gone = shows_offline(&next);
    }
    println!("disconnected after {posted} large messages and {:?}", started.elapsed());
}

fn shows_offline(frame: &Value) -> bool {
    frame["type"] == "presence" && frame["data"]["is_online"] == false
}

#[tokio::test(flavor = "multi_thread")]
async fn a_websocket_client_that_never_reads_is_disconnected_without_affecting_others() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let url = format!("{}/realtime?token={token}", server.base.replace("http", "ws"));
    let stream = narrow(&server).await;
    let (_stalled, _) = tokio_tungstenite::client_async(url, stream).await.expect("connects");
    post_until_bob_is_disconnected(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_stream_client_that_never_reads_is_disconnected_without_affecting_others() {
    let server = TestServer::with_support_room().await;
    let token = server.token("bob").await;
    let mut stalled = narrow(&server).await;
    let request = format!("GET /realtime?token={token} HTTP/1.1\r\nHost: confab\r\n\r\n");
    stalled.write_all(request.as_bytes()).await.expect("written");
    // Ana would otherwise be notified that bob has come online.
    let mut received = String::new();
    while !received.contains(r#""type":"hello""#) {
        received.push(char::from(stalled.read_u8().await.expect("the first event")));
    }
    post_until_bob_is_disconnected(&server).await;
}

/// Returns how many connections the test may open to its own process.
fn connections_allowed() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = files.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    // Both ends of each connection are in this process, next to other tests.
    (files.unwrap_or(1_024) / 4).min(1_000)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_reaches_up_to_1000_concurrent_connections() {
    // One user may use an eighth of the concurrent requests, and all connect at once.
    let server = TestServer::start_with(&[("app_concurrent_requests", "16384")]).await;
    server.furnish().await;
    let (token, count) = (server.token("bob").await, connections_allowed() / 2);
    let started = Instant::now();
    let watching = join_all((0..count).map(|_| Watcher::try_start(&server, &token, "")));
    let listening = join_all((0..count).map(async |number| {
        let mut client = called(&format!("bob-{number}")).by_tcp(&server).await;
        assert_eq!(client.subscribe(&[&format!("{token}/c")]).await, "0");
        client
    }));
    let (watchers, mut clients) = tokio::join!(watching, listening);
    let mut watchers: Vec<_> = watchers.into_iter().map(|it| it.expect("connects")).collect();
    println!("{} connected in {:?}", 2 * count, started.elapsed());
    for watcher in &mut watchers {
        assert_eq!(watcher.next().await["type"], "hello");
    }
    let started = Instant::now();
    server.post_comment("ana", "support", "to all of you").await;
    for watcher in &mut watchers {
        assert_eq!(watcher.next_text().await.1, "to all of you");
    }
    for client in &mut clients {
        assert_eq!(client.json().await.1["message"], "to all of you");
    }
    println!("all of them received it in {:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_ten_clients_is_limited_and_messages_still_arrive() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let mut bob = Watcher::start(&server, "bob").await;
    let token = server.token("ana").await;
    let mut flooding: Vec<MqttClient> = Vec::new();
    for number in 0..10 {
        let mut client = called(&format!("ana-{number}")).with_token(&token).by_tcp(&server).await;
        client.ping().await;
        flooding.push(client);
    }
    let (event, typing) = (format!("r/{room}/{room}/e"), format!("r/{room}/{room}/ana/t"));
    join_all(flooding.iter_mut().map(async |client| {
        for _ in 0..1_000 {
            client.publish_unread(&event, r#"{"a":1}"#).await;
            client.publish_unread(&typing, "1").await;
        }
    }))
    .await;
    server.post_comment("ana", "support", "in between").await;
    let mut others = 0;
    loop {
        let frame = bob.next().await;
        match frame["type"].as_str() {
            Some("message") => break assert_eq!(frame["data"]["message"], "in between"),
            _ => others += 1,
        }
    }
    println!("{others} of 20000 came first");
    assert!(others < 10_000, "{others}");
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_or_binary_frames_end_their_connection_and_malformed_ones_get_an_error() {
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::start(&server, "bob").await;
    let token = server.token("ana").await;
    let url = format!("{}/realtime?token={token}", server.base.replace("http", "ws"));
    let too_large = "x".repeat(limits::REALTIME_FRAME_BYTES_MAX + 1);
    for frame in [Message::text(too_large), Message::binary(vec![0xff; 10])] {
        let (mut ana, _) = tokio_tungstenite::connect_async(&url).await.expect("connects");
        ana.send(frame).await.expect("sent");
        let all = async { while let Some(Ok(_)) = ana.next().await {} };
        tokio::time::timeout(SOON, all).await.expect("the connection ends");
    }
    let mut ana = Watcher::start(&server, "ana").await;
    for odd in [
        "",
        "null",
        "[]",
        "\"typing\"",
        r#"{"type":7}"#,
        r#"{"type":"follow"}"#,
        r#"{"type":"follow","unique_id":"\u0000"}"#,
        r#"{"type":"typing","room_id":"\u0000","is_typing":true}"#,
        r#"{"type":"typing","room_id":99999999999999999999999,"is_typing":true}"#,
        r#"{"type":"typing","room_id":-1,"is_typing":true}"#,
        r#"{"type":"watch","user_id":"\u0000"}"#,
        r#"{"type":"custom_event","room_id":"support","data":"#,
    ] {
        ana.say(odd).await;
        let answer = ana.next().await;
        assert_eq!(answer["type"], "error", "{odd}");
        assert_ne!(answer["data"]["message"], "Try again later.", "{odd}");
    }
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    ana.say(&format!(r#"{{"type":"custom_event","room_id":"support","data":{deep}}}"#)).await;
    assert_eq!(ana.next().await["type"], "error", "too deeply nested");
    server.post_comment("ana", "support", "still here").await;
    while bob.next_text().await.1 != "still here" {}
}

#[tokio::test]
async fn a_token_with_a_nul_is_treated_as_unknown_and_closes_no_connection() {
    let server = TestServer::with_support_room().await;
    let mut client = called("odd").with_token("\0").by_tcp(&server).await;
    client.ping().await;
    let mut client = called("odd").with_token("a\0b").by_web(&server).await;
    assert_eq!(client.subscribe(&["x/c", "shop/y/c"]).await, "xx");
}

#[tokio::test]
async fn a_client_that_unsubscribes_from_too_many_filters_is_disconnected() {
    let server = TestServer::with_support_room().await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let filters = std::iter::repeat_n("a", limits::MQTT_FILTERS_PER_PACKET + 1);
    ana.send(&Unsubscribe::new(7, filters)).await;
    assert_eq!(ana.closed().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn resetting_a_token_closes_every_kind_of_connection() {
    let server = TestServer::with_support_room().await;
    let mut watcher = Watcher::start(&server, "bob").await;
    let (mut by_tcp, token) = client_of(&server, "bob").await;
    let mut by_web = called("bob-web").with_token(&token).by_web(&server).await;
    by_web.ping().await;
    let request = server.bare(reqwest::Method::GET, "/realtime");
    let mut stream = request.header("SERVICE-SDK-TOKEN", &token).send().await.expect("a stream");
    server.post("reset_user_token", json!({"user_id": "bob"})).await.results();
    let started = Instant::now();
    assert_eq!(watcher.closed().await, CloseCode::Policy);
    let by_watcher = started.elapsed();
    assert!(by_tcp.closed().await.iter().all(|it| !matches!(it, Packet::Publish(_))));
    let by_tcp = started.elapsed();
    by_web.closed().await;
    let by_web = started.elapsed();
    while let Ok(Some(_)) = stream.chunk().await {}
    println!(
        "after the response: WebSocket {by_watcher:?}, MQTT by TCP {by_tcp:?}, by WebSocket \
         {by_web:?}, event stream {:?}",
        started.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_opened_while_its_token_is_reset_is_closed() {
    let server = TestServer::with_support_room().await;
    for _ in 0..30 {
        let old = server.token("bob").await;
        let connecting = join_all((0..8).map(async |turn| {
            // Each a bit later than the previous one.
            for _ in 0..turn * 3 {
                tokio::task::yield_now().await;
            }
            Watcher::try_start(&server, &old, "").await
        }));
        let body = json!({"user_id": "bob"});
        let (opened, reset) = tokio::join!(connecting, server.post("reset_user_token", body));
        reset.results();
        for mut watcher in opened.into_iter().flatten() {
            assert_eq!(watcher.closed().await, CloseCode::Policy);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_participant_removed_while_subscribing_receives_no_typing_events() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let topic = format!("r/{room}/{room}/ana/t");
    let (mut ana, _) = client_of(&server, "ana").await;
    for _ in 0..40 {
        let (mut bob, _) = client_of(&server, "bob").await;
        let members = json!({"room_id": "support", "user_ids": ["bob"]});
        let out = server.post("remove_room_participants", members.clone());
        let filters = [topic.as_str()];
        let (_, out) = tokio::join!(bob.subscribe(&filters), out);
        out.results();
        ana.publish(&topic, "1").await;
        server.post("add_room_participants", members).await.results();
        server.post_comment("ana", "support", "a sign").await;
        let (received, _) = bob.shown().await;
        assert!(received.ends_with("/c"), "{received}");
    }
}

/// A gap in the hints is filled from the store while other users post.
#[tokio::test(flavor = "multi_thread")]
async fn gaps_in_the_hints_cause_neither_lost_nor_duplicate_messages() {
    const PEOPLE: usize = 20;
    const EACH: usize = 40;
    let (one, two) = TestServer::start_two().await;
    one.register("ana").await;
    let names: Vec<_> = (0..PEOPLE).map(|number| format!("user{number:02}")).collect();
    let mut clients = Vec::new();
    for name in &names {
        one.register(name).await;
        one.create_room(&format!("with-{name}"), &["ana", name]).await;
        clients.push(client_of(&two, name).await.0);
    }
    let posting = names.iter().enumerate().map(|(place, name)| {
        let node = if place % 2 == 0 { one.clone() } else { two.clone() };
        let room = format!("with-{name}");
        tokio::spawn(async move {
            for number in 0..EACH {
                node.post_comment("ana", &room, &number.to_string()).await;
            }
        })
    });
    let posting: Vec<_> = posting.collect();
    let notifier = two.store.notices().expect("PostgreSQL").notifier().await.expect("connected");
    let gaps = tokio::spawn(async move {
        let mut every = tokio::time::interval(Duration::from_millis(30));
        for number in 0u64.. {
            every.tick().await;
            notifier.notify(&[format!("no packet {number}")]).await.expect("sent");
        }
    });
    let expected: Vec<_> = (0..EACH).map(|number| number.to_string()).collect();
    let listening = join_all(clients.iter_mut().map(async |client| {
        let mut seen = Vec::new();
        while seen.len() < EACH {
            let (_, frame) = client.json().await;
            seen.push(frame["message"].as_str().unwrap_or_default().to_owned());
        }
        seen
    }));
    let seen =
        tokio::time::timeout(PATIENCE, listening).await.expect("all messages arrive in time");
    gaps.abort();
    for posting in posting {
        posting.await.expect("posts");
    }
    assert!(seen.iter().all(|of_one| *of_one == expected), "{seen:?}");
}
