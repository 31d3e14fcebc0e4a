//! Two nodes behind a proxy as it stands on the page, restarted in turn while everybody works on:
//! nobody is left without an answer, and who only listens misses nothing (D-0184).
//!
//! These tests run on PostgreSQL whatever engine the others run on.

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
/// Both nodes are restarted in each.
const ROUNDS: usize = 2;
/// Said until everybody listens.
const HELLO: &str = "is anybody there?";
/// How often a client posts and loads.
const PACE: Duration = Duration::from_millis(150);

/// What somebody who works all the time has to tell.
#[derive(Default)]
struct Worked {
    requests: usize,
    /// Everything that was not answered with 200.
    failures: Vec<String>,
    acknowledged: Vec<String>,
}

impl Worked {
    /// Posts and loads by one connection of its own until it is over. Nothing is repeated.
    async fn all_the_time(shop: Caller, number: usize, is_over: Arc<AtomicBool>) -> Self {
        let mut worked = Self::default();
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (user, room) = (format!("user{number}"), format!("room{}", number % ROOMS));
        while !is_over.load(Ordering::Relaxed) {
            pace.tick().await;
            let says = format!("{number}-{}", worked.requests);
            let body = json!({"user_id": user, "room_id": room, "message": says}).to_string();
            let post = shop.request(Method::POST, "post_comment").body(body);
            if worked.has_answer(post, "post").await {
                worked.acknowledged.push(says);
            }
            let page = format!("load_comments?room_id={room}&limit=20");
            worked.has_answer(shop.request(Method::GET, &page), "load").await;
        }
        worked
    }

    async fn has_answer(&mut self, request: RequestBuilder, what: &str) -> bool {
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

/// What somebody who only listens has heard, how often, and how often they were sent away.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<(HashMap<String, usize>, usize)>>);

impl Heard {
    fn hear(&self, text: &str) {
        *self.0.lock().expect("not poisoned").0.entry(text.to_owned()).or_default() += 1;
    }

    fn has_heard(&self, text: &str) -> bool {
        self.0.lock().expect("not poisoned").0.contains_key(text)
    }

    fn sent_away(&self) {
        self.0.lock().expect("not poisoned").1 += 1;
    }

    fn times_sent_away(&self) -> usize {
        self.0.lock().expect("not poisoned").1
    }

    fn twice(&self) -> Vec<String> {
        let heard = self.0.lock().expect("not poisoned");
        heard.0.iter().filter(|it| *it.1 > 1 && it.0 != HELLO).map(|it| it.0.clone()).collect()
    }

    async fn by_web_socket(self, shop: Caller) {
        let mut watcher = Watcher::start(&shop, "bob").await;
        let mut seen = String::new();
        loop {
            match watcher.next_or_closed().await {
                Ok(frame) => {
                    seen.clone_from(&watcher.seen);
                    if frame["type"] == "message" {
                        self.hear(frame["data"]["message"].as_str().expect("text"));
                    }
                }
                Err(code) => {
                    match code {
                        CloseCode::Restart => self.sent_away(),
                        // On a machine that is busy: it came back, and misses nothing either.
                        CloseCode::Again => {}
                        other => panic!("closed with {other}"),
                    }
                    watcher = Watcher::resume(&shop, "bob", &seen).await;
                }
            }
        }
    }

    async fn by_events(self, shop: Caller) {
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
                    self.hear(frame["data"]["message"].as_str().expect("text"));
                }
            }
            // Who is too slow on a machine that is busy is told so instead.
            assert!(reader.comes_back_ms.is_some() || is_slow, "it is said when to come back");
            self.sent_away();
            reader = Reader::start(&shop, "bob", &seen).await;
        }
    }

    /// By a client without a session: what was said meanwhile it loads. By TCP if there is an
    /// address for that, else by WebSocket.
    async fn by_mqtt(self, shop: Caller, name: &str, address: Option<SocketAddr>) {
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
                    self.hear(shown["message"].as_str().expect("text"));
                }
            }
            self.sent_away();
        }
    }

    /// Two pages of what is known already end it: nodes may tell of two messages in another order.
    async fn load_missed(&self, shop: &Caller) {
        for room in 0..ROOMS {
            let mut known_pages = 0;
            for page in 1.. {
                let query = [("limit", "100"), ("page", &page.to_string())];
                let texts = shop.page(&format!("room{room}"), &query).await;
                let unknown: Vec<_> = texts.iter().filter(|text| !self.has_heard(text)).collect();
                unknown.iter().for_each(|text| self.hear(text));
                known_pages += usize::from(unknown.is_empty());
                if texts.is_empty() || known_pages == 2 {
                    break;
                }
            }
        }
    }
}

/// Two nodes, the proxy before them, and where it says what it thinks of them.
struct Site {
    folder: Folder,
    nodes: [Option<Confab>; 2],
    /// Where each takes MQTT by TCP.
    mqtt: [String; 2],
    /// Where everybody calls.
    url: String,
    /// Where the proxy takes MQTT by TCP, if it does.
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
        until_so("the proxy is there", async || {
            let ready = shop.bare(Method::GET, "/ready").send().await;
            ready.is_ok_and(|answer| answer.status() == 200)
        })
        .await;
        site
    }

    /// A caller with a connection of their own.
    fn shop(&self) -> Caller {
        let shop = self.nodes[0].as_ref().expect("it runs").shop();
        Caller::new(&self.url, &shop.code, &shop.secret)
    }

    /// Stops a node as an operator does, and starts it again. Gives how long the stop took.
    async fn restart(&mut self, number: usize) -> Duration {
        let node = self.nodes[number].take().expect("it runs");
        let base = node.base.clone();
        let told = Instant::now();
        node.signal("TERM");
        block_in_place(|| node.log.wait_for("drain started"));
        Caller::new(&base, "", "").ready().await.refused(503, "not_ready");
        // While it still takes everything, the proxy has noticed.
        self.until_status(number, "DOWN").await;
        assert!(!node.log.text().contains("shutdown started"), "the proxy noticed in time");
        let status = block_in_place(|| node.ended());
        assert!(status.success());
        let took = told.elapsed();
        let environment = [(MQTT_LISTEN, self.mqtt[number].as_str())];
        let node = block_in_place(|| self.folder.serve_at(&base, &environment));
        self.nodes[number] = Some(node);
        self.until_status(number, "UP").await;
        took
    }

    /// What HAProxy thinks of a node. Nothing to wait for with nginx, which finds out by trying.
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

async fn nobody_notices(proxy: Proxy, name: &str) {
    let mut site = Site::start(proxy).await;
    let shop = site.shop();
    let users: Vec<_> = (0..CLIENTS).map(|number| format!("user{number}")).collect();
    let users: Vec<_> = users.iter().map(String::as_str).chain(["bob"]).collect();
    shop.register_all(&users).await;
    for room in 0..ROOMS {
        shop.create_room(&format!("room{room}"), &users).await;
    }
    let heard: [Heard; 4] = Default::default();
    let [by_web_socket, by_events, by_mqtt, by_tcp] = heard.clone();
    let listening: [JoinHandle<()>; 4] = [
        tokio::spawn(by_web_socket.by_web_socket(site.shop())),
        tokio::spawn(by_events.by_events(site.shop())),
        tokio::spawn(by_mqtt.by_mqtt(site.shop(), "shop_bob_1", None)),
        // Where the proxy does not take it, it is one more by WebSocket.
        tokio::spawn(by_tcp.by_mqtt(site.shop(), "shop_bob_2", site.mqtt_address)),
    ];
    until_so("everybody listens", async || {
        shop.post_comment("user0", "room0", HELLO).await;
        heard.iter().all(|heard| heard.has_heard(HELLO))
    })
    .await;
    let is_over = Arc::new(AtomicBool::new(false));
    let working: Vec<_> = (0..CLIENTS)
        .map(|number| tokio::spawn(Worked::all_the_time(site.shop(), number, is_over.clone())))
        .collect();
    let mut stops = Vec::new();
    for _ in 0..ROUNDS {
        stops.push(site.restart(0).await);
        stops.push(site.restart(1).await);
    }
    is_over.store(true, Ordering::Relaxed);
    let mut all = Worked::default();
    for worked in working {
        let mut worked = worked.await.expect("worked");
        all.requests += worked.requests;
        all.failures.append(&mut worked.failures);
        all.acknowledged.append(&mut worked.acknowledged);
    }
    println!(
        "{name}: {} requests, {} failed, {} acknowledged; stops took {stops:?}; listeners were \
         sent away {:?} times",
        all.requests,
        all.failures.len(),
        all.acknowledged.len(),
        heard.each_ref().map(Heard::times_sent_away),
    );
    assert!(all.failures.is_empty(), "{:?}", &all.failures[..all.failures.len().min(10)]);
    check_loaded(&site, &all.acknowledged).await;
    for (heard, listening) in heard.iter().zip(&listening) {
        until_so("a listener has heard everything", async || {
            assert!(!listening.is_finished(), "a listener gave up");
            all.acknowledged.iter().all(|text| heard.has_heard(text))
        })
        .await;
        assert!(heard.times_sent_away() >= ROUNDS, "it came back");
    }
    for (heard, how) in heard.iter().zip(["WebSocket", "events"]) {
        let twice = heard.twice();
        assert!(twice.is_empty(), "by {how} twice: {twice:?}");
    }
    listening.iter().for_each(JoinHandle::abort);
}

/// Everything acknowledged is there once, and nothing else, through each node.
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
        assert!(lost.is_empty(), "not there once: {lost:?}");
        times.remove(HELLO);
        assert!(times.is_empty(), "nobody was told of {times:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_notices_when_two_nodes_behind_haproxy_are_restarted_in_turn() {
    nobody_notices(Proxy::Haproxy, "HAProxy").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_notices_when_two_nodes_behind_nginx_are_restarted_in_turn() {
    nobody_notices(Proxy::Nginx, "nginx").await;
}
