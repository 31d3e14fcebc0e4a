//! Two nodes behind a documented proxy configuration, restarted in turn under load: no request
//! fails, and connected clients miss no message (design/operations).
//!
//! These tests always run on PostgreSQL, independently of the engine of the other tests.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use confab_test_servers::postgres::shared;
use confab_test_servers::programs::program;
use mqute_codec::protocol::QoS;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::{MissedTickBehavior, interval};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::proxies::{Proxy, Running, free_port};
use super::text_of;
use crate::realtime::event_stream::Reader;
use crate::realtime::mqtt::client::{MqttClient, called};
use crate::realtime::watcher::Watcher;
use crate::support::answer::Answer;
use crate::support::caller::{Caller, sent};
use crate::support::engine::with_password;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until_so;

const PAGE: &str = "docs/operating/several-nodes.md";
const MQTT_LISTEN: &str = "CONFAB_MQTT_LISTEN";
const CLIENTS: usize = 30;
const ROOMS: usize = 3;
/// Number of rounds; each restarts both nodes.
const ROUNDS: usize = 2;
/// Message that is posted until all listeners receive it.
const HELLO: &str = "is anybody there?";
/// Interval at which a client posts and loads.
const PACE: Duration = Duration::from_millis(150);

/// Results of a client that posts and loads continuously.
#[derive(Default)]
struct ClientResults {
    requests: usize,
    /// Requests without a 200 response.
    failures: Vec<String>,
    acknowledged: Vec<String>,
}

impl ClientResults {
    /// Posts and loads over one connection until `is_over`. Failed requests are not repeated.
    async fn run(shop: Caller, number: usize, is_over: Arc<AtomicBool>) -> Self {
        let mut worked = Self::default();
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (user, room) = (format!("user{number}"), format!("room{}", number % ROOMS));
        while !is_over.load(Ordering::Relaxed) {
            pace.tick().await;
            let text = format!("{number}-{}", worked.requests);
            let body = json!({"user_id": user, "room_id": room, "message": text}).to_string();
            let post = shop.request(Method::POST, "post_comment").body(body);
            if worked.succeeds(post, "post").await {
                worked.acknowledged.push(text);
            }
            let page = format!("load_comments?room_id={room}&limit=20");
            worked.succeeds(shop.request(Method::GET, &page), "load").await;
        }
        worked
    }

    async fn succeeds(&mut self, request: RequestBuilder, what: &str) -> bool {
        self.requests += 1;
        let answer = match request.header("Content-Type", "application/json").send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                response.text().await.map(|text| (status, text))
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok((200, _)) => return true,
            Ok((status, text)) => self.failures.push(format!("{what}: {status} {text}")),
            Err(error) => self.failures.push(format!("{what}: {error:?}")),
        }
        false
    }
}

/// Messages that a connected client received, with their counts, and the number of its
/// disconnections.
#[derive(Clone, Default)]
struct ReceivedRequest(Arc<Mutex<(HashMap<String, usize>, usize)>>);

impl ReceivedRequest {
    fn add(&self, text: &str) {
        *self.0.lock().expect("not poisoned").0.entry(text.to_owned()).or_default() += 1;
    }

    fn has_received(&self, text: &str) -> bool {
        self.0.lock().expect("not poisoned").0.contains_key(text)
    }

    fn add_disconnection(&self) {
        self.0.lock().expect("not poisoned").1 += 1;
    }

    fn disconnections(&self) -> usize {
        self.0.lock().expect("not poisoned").1
    }

    fn twice(&self) -> Vec<String> {
        let received = self.0.lock().expect("not poisoned");
        received.0.iter().filter(|it| *it.1 > 1 && it.0 != HELLO).map(|it| it.0.clone()).collect()
    }

    async fn listen_by_web_socket(self, shop: Caller) {
        let mut watcher = Watcher::start(&shop, "bob").await;
        let mut seen = String::new();
        loop {
            match watcher.next_or_closed().await {
                Ok(frame) => {
                    seen.clone_from(&watcher.seen);
                    if frame["type"] == "message" {
                        self.add(frame["data"]["message"].as_str().expect("text"));
                    }
                }
                Err(code) => {
                    match code {
                        CloseCode::Restart => self.add_disconnection(),
                        // On a busy machine the server may close a slow client, which resumes
                        // without missing a message.
                        CloseCode::Again => {}
                        other => panic!("closed with {other}"),
                    }
                    watcher = Watcher::resume(&shop, "bob", &seen).await;
                }
            }
        }
    }

    async fn listen_by_events(self, shop: Caller) {
        let mut reader = Reader::start(&shop, "bob", "").await;
        let mut seen = String::new();
        loop {
            let mut is_slow = false;
            while let Some((id, frame)) = reader.next_or_end().await {
                is_slow = frame["type"] == "resync";
                if !id.is_empty() {
                    seen = id;
                }
                if frame["type"] == "message" {
                    self.add(frame["data"]["message"].as_str().expect("text"));
                }
            }
            // On a busy machine a slow client gets a resync event instead.
            assert!(
                reader.comes_back_ms.is_some() || is_slow,
                "the event stream has a reconnection time"
            );
            self.add_disconnection();
            reader = Reader::start(&shop, "bob", &seen).await;
        }
    }

    /// Receives by MQTT without a session, and loads missed messages after each connection.
    /// Connects by TCP if an address is given, else by WebSocket.
    async fn listen_by_mqtt(self, shop: Caller, name: &str, address: Option<SocketAddr>) {
        let topic = format!("{}/c", shop.token("bob").await);
        loop {
            let client = match address {
                Some(address) => MqttClient::tcp(address).await,
                None => MqttClient::web(&shop).await,
            };
            if let Some(mut client) = called(name).try_begin(client).await
                && let Some(granted) = client.try_subscribe_at(QoS::AtMostOnce, &[&topic]).await
            {
                assert_eq!(granted, "0");
                self.load_missed(&shop).await;
                while let Some(message) = client.message_or_end().await {
                    let shown: serde_json::Value =
                        serde_json::from_slice(&message.payload()).expect("JSON");
                    self.add(shown["message"].as_str().expect("text"));
                }
            }
            self.add_disconnection();
        }
    }

    /// Stops after two pages of received messages, because nodes may publish two messages in a
    /// different order.
    async fn load_missed(&self, shop: &Caller) {
        for room in 0..ROOMS {
            let mut known_pages = 0;
            for page in 1.. {
                let query = [("limit", "100"), ("page", &page.to_string())];
                let texts = shop.page(&format!("room{room}"), &query).await;
                let unknown: Vec<_> =
                    texts.iter().filter(|text| !self.has_received(text)).collect();
                unknown.iter().for_each(|text| self.add(text));
                known_pages += usize::from(unknown.is_empty());
                if texts.is_empty() || known_pages == 2 {
                    break;
                }
            }
        }
    }
}

/// Two nodes, the proxy in front of them, and the proxy's status page.
struct Site {
    folder: Folder,
    nodes: [Option<Confab>; 2],
    /// MQTT listen address of each node.
    mqtt: [String; 2],
    /// URL of the proxy.
    url: String,
    /// MQTT address of the proxy, if it proxies TCP.
    mqtt_address: Option<SocketAddr>,
    status_url: Option<String>,
    _proxy: Running,
}

impl Site {
    async fn start(proxy: Proxy) -> Self {
        let url = with_password(&shared().new_schema());
        let folder = Folder::with_database(Some(url)).and_app().await;
        let settings = program(&text_of(PAGE), "toml").replace("10.0.0.5", "127.0.0.1");
        assert!(settings.contains("drain_seconds"), "{settings}");
        folder.write("confab.toml", &settings);
        let mqtt = [free_port(), free_port()].map(|port| format!("127.0.0.1:{port}"));
        let nodes = mqtt.each_ref().map(|mqtt| folder.launch(&[], &[(MQTT_LISTEN, mqtt)]));
        let nodes = nodes.map(|node| node.listening());
        let [one, two] = [0, 1].map(|it: usize| nodes[it].base.trim_start_matches("http://"));
        let servers = [("10.0.0.11:8787", one), ("10.0.0.12:8787", two)];
        let (port, status_port) = (free_port(), free_port());
        let mut block = proxy.configured(PAGE, port, &servers);
        let (mut status_url, mut mqtt_address) = (None, None);
        if let Proxy::Haproxy = proxy {
            let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
            mqtt_address = Some(address);
            let [first, second] = mqtt.each_ref();
            let [http_one, http_two] = [one, two].map(|it| it.trim_start_matches("127.0.0.1:"));
            for (named, here) in [
                (":8883 ssl crt /etc/haproxy/chat.example.pem", address.to_string()),
                ("10.0.0.11:1883 port 8787", format!("{first} port {http_one}")),
                ("10.0.0.12:1883 port 8787", format!("{second} port {http_two}")),
            ] {
                assert!(block.contains(named), "{block}");
                block = block.replace(named, &here);
            }
            block += &format!(
                "\nlisten status\n    bind 127.0.0.1:{status_port}\n    stats enable\n    stats uri /\n"
            );
            status_url = Some(format!("http://127.0.0.1:{status_port}"));
        }
        let command = proxy.command(folder.path(), &block);
        let proxy = Running::start(command);
        let url = format!("http://127.0.0.1:{port}");
        let nodes = nodes.map(Some);
        let site = Self { folder, nodes, mqtt, url, mqtt_address, status_url, _proxy: proxy };
        let shop = site.shop();
        until_so("the proxy forwards requests", async || {
            let ready = shop.bare(Method::GET, "/ready").send().await;
            ready.is_ok_and(|answer| answer.status() == 200)
        })
        .await;
        site
    }

    /// Returns a caller with its own connection to the proxy.
    fn shop(&self) -> Caller {
        let shop = self.nodes[0].as_ref().expect("the node runs").shop();
        Caller::new(&self.url, &shop.code, &shop.secret)
    }

    /// Stops a node with SIGTERM and starts it again; returns how long the stop took.
    async fn restart(&mut self, number: usize) -> Duration {
        let node = self.nodes[number].take().expect("the node runs");
        let base = node.base.clone();
        let signaled = Instant::now();
        node.signal("TERM");
        block_in_place(|| node.log.wait_for("drain started"));
        Caller::new(&base, "", "").ready().await.refused(503, "not_ready");
        // The proxy must notice while the node still accepts requests.
        self.until_status(number, "DOWN").await;
        assert!(
            !node.log.text().contains("shutdown started"),
            "the proxy notices before the node stops"
        );
        let status = block_in_place(|| node.ended());
        assert!(status.success());
        let took = signaled.elapsed();
        let environment = [(MQTT_LISTEN, self.mqtt[number].as_str())];
        let node = block_in_place(|| self.folder.serve_at(&base, &environment));
        self.nodes[number] = Some(node);
        self.until_status(number, "UP").await;
        took
    }

    /// Waits until HAProxy reports this state of a node. Returns at once for nginx, which notices
    /// by failed requests.
    async fn until_status(&self, number: usize, status: &str) {
        let Some(url) = &self.status_url else { return };
        let caller = Caller::new(url, "", "");
        let server = format!("confab,{},", ["one", "two"][number]);
        until_so(&format!("node {number} is {status}"), async || {
            let Answer { text, .. } = sent(caller.bare(Method::GET, "/;csv")).await;
            let line = text.lines().find(|line| line.starts_with(&server)).expect("a line");
            line.split(',').nth(17) == Some(status)
        })
        .await;
    }
}

async fn check_rolling_restart(proxy: Proxy, name: &str) {
    let mut site = Site::start(proxy).await;
    let shop = site.shop();
    let users: Vec<_> = (0..CLIENTS).map(|number| format!("user{number}")).collect();
    let users: Vec<_> = users.iter().map(String::as_str).chain(["bob"]).collect();
    shop.register_all(&users).await;
    for room in 0..ROOMS {
        shop.create_room(&format!("room{room}"), &users).await;
    }
    let received: [ReceivedRequest; 4] = Default::default();
    let [web_socket, events, mqtt, tcp] = received.clone();
    let listening: [JoinHandle<()>; 4] = [
        tokio::spawn(web_socket.listen_by_web_socket(site.shop())),
        tokio::spawn(events.listen_by_events(site.shop())),
        tokio::spawn(mqtt.listen_by_mqtt(site.shop(), "shop_bob_1", None)),
        // If the proxy does not proxy MQTT, this client uses WebSocket, too.
        tokio::spawn(tcp.listen_by_mqtt(site.shop(), "shop_bob_2", site.mqtt_address)),
    ];
    until_so("all listeners receive messages", async || {
        shop.post_comment("user0", "room0", HELLO).await;
        received.iter().all(|received| received.has_received(HELLO))
    })
    .await;
    let is_over = Arc::new(AtomicBool::new(false));
    let working: Vec<_> = (0..CLIENTS)
        .map(|number| tokio::spawn(ClientResults::run(site.shop(), number, is_over.clone())))
        .collect();
    let mut stops = Vec::new();
    for _ in 0..ROUNDS {
        stops.push(site.restart(0).await);
        stops.push(site.restart(1).await);
    }
    is_over.store(true, Ordering::Relaxed);
    let mut all = ClientResults::default();
    for worked in working {
        let mut worked = worked.await.expect("worked");
        all.requests += worked.requests;
        all.failures.append(&mut worked.failures);
        all.acknowledged.append(&mut worked.acknowledged);
    }
    println!(
        "{name}: {} requests, {} failed, {} acknowledged; stops took {stops:?}; listeners were \
         disconnected {:?} times",
        all.requests,
        all.failures.len(),
        all.acknowledged.len(),
        received.each_ref().map(ReceivedRequest::disconnections),
    );
    assert!(all.failures.is_empty(), "{:?}", &all.failures[..all.failures.len().min(10)]);
    check_loaded(&site, &all.acknowledged).await;
    for (received, listening) in received.iter().zip(&listening) {
        until_so("a listener has received every message", async || {
            assert!(!listening.is_finished(), "the listener still runs");
            all.acknowledged.iter().all(|text| received.has_received(text))
        })
        .await;
        assert!(received.disconnections() >= ROUNDS, "the listener reconnected");
    }
    for (received, how) in received.iter().zip(["WebSocket", "events"]) {
        let twice = received.twice();
        assert!(twice.is_empty(), "by {how} twice: {twice:?}");
    }
    listening.iter().for_each(JoinHandle::abort);
}

/// Asserts that each node returns exactly the acknowledged messages, once each.
async fn check_loaded(site: &Site, acknowledged: &[String]) {
    for node in site.nodes.iter().flatten() {
        let mut times = HashMap::<_, usize>::new();
        for room in 0..ROOMS {
            for page in 1.. {
                let query = [("limit", "100"), ("page", &page.to_string())];
                let texts = node.shop().page(&format!("room{room}"), &query).await;
                if texts.is_empty() {
                    break;
                }
                texts.into_iter().for_each(|text| *times.entry(text).or_default() += 1);
            }
        }
        let lost: Vec<_> =
            acknowledged.iter().filter(|text| times.remove(*text) != Some(1)).collect();
        assert!(lost.is_empty(), "not stored exactly once: {lost:?}");
        times.remove(HELLO);
        assert!(times.is_empty(), "messages without an acknowledged post: {times:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn restarting_two_nodes_behind_haproxy_in_turn_fails_no_request() {
    check_rolling_restart(Proxy::Haproxy, "HAProxy").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn restarting_two_nodes_behind_nginx_in_turn_fails_no_request() {
    check_rolling_restart(Proxy::Nginx, "nginx").await;
}
