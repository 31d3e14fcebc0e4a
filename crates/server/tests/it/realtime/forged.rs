//! Packets of an outsider who can only connect to PostgreSQL or NATS: forged and replayed packets
//! reach no clients, disconnect none and suppress no events.
//!
//! These tests run on PostgreSQL regardless of the engine of the others.

use async_nats::Client;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use confab_domain::ids::EventId;
use confab_domain::time::Timestamp;
use confab_test_servers::nats;
use confab_test_servers::postgres::shared;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::watcher::Watcher;
use crate::dashboard::inbox::Page;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const DAY_US: i64 = 24 * 3600 * 1_000_000;

fn message(text: &str) -> (String, String) {
    ("message".to_owned(), text.to_owned())
}

/// Returns the least id that can be created this many microseconds from now.
fn id_in(us: i64) -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    EventId::first_at(Timestamp(now.expect("after 1970").as_micros() as i64 + us)).0
}

/// Encodes a packet as nodes did before packets were sealed.
fn unsealed(sender: u8, hints: &[Value]) -> Vec<u8> {
    let mut packet = [&[1][..], &[sender; 16], &1_u64.to_be_bytes()].concat();
    for hint in hints {
        let text = hint.to_string();
        packet.extend((text.len() as u16).to_be_bytes());
        packet.extend(text.as_bytes());
    }
    packet
}

/// Returns forged packets about ana and bob.
fn forged_packets(server: &TestServer) -> Vec<Vec<u8>> {
    let database = server.database.as_deref().expect("a database");
    let number = |sql: &str| shared().psql_at(database, sql).parse::<i64>().expect("a number");
    let app = number("SELECT min(app) FROM rooms");
    let [ana, bob] = ["ana", "bob"]
        .map(|user| number(&format!("SELECT id FROM users WHERE user_id = '{user}'")));
    let newest = number("SELECT max(id) FROM messages");
    let room = number("SELECT max(room) FROM messages");
    let mut packets = Vec::new();
    for node in 0..4 {
        let id = id_in(DAY_US) + node;
        let read = json!({"app": app, "room": room, "id": id + 64, "by": ana, "message": newest,
            "unique": "forged", "number": 1, "read": true});
        let hints = [
            json!({"e": {"room": room, "id": id, "audience": 0}}),
            json!({"r": read}),
            json!({"t": {"app": app, "room": room, "by": ana, "on": true}}),
            json!({"c": {"app": app, "room": room, "by": ana, "data": {"forged": true}}}),
            json!({"p": {"user": ana, "id": "ana", "on": true, "at": 1}}),
            json!({"a": {"user": bob}}),
        ];
        packets.push(unsealed(node as u8 + 100, &hints));
    }
    packets
}

/// A database role that may connect, without any other right.
struct OutsiderRole {
    url: String,
    channel: String,
}

impl OutsiderRole {
    fn of(server: &TestServer) -> Self {
        let database = server.database.as_deref().expect("a database");
        let (address, schema) = database.split_once("?options=-c%20search_path%3D").expect("a URL");
        let (_, name) = address.rsplit_once('/').expect("a database");
        let role = format!("outsider_{schema}");
        shared().psql_at(
            database,
            &format!("CREATE ROLE {role} LOGIN; GRANT CONNECT ON DATABASE {name} TO {role}"),
        );
        let url = address.replace("postgres@", &format!("{role}@"));
        Self { url, channel: format!("'confab_' || md5('{schema}')") }
    }

    fn notify(&self, text: &str) {
        shared().psql_at(&self.url, &format!("SELECT pg_notify({}, '{text}')", self.channel));
    }
}

/// Asserts that messages of ana and bob, posted through different nodes, reach both.
async fn assert_messages_reach_both(
    one: &TestServer,
    two: &TestServer,
    ana: &mut Watcher,
    bob: &mut Watcher,
) {
    one.post_comment("ana", "support", "after").await;
    assert_eq!(bob.next_text().await, message("after"));
    assert_eq!(ana.next_text().await, message("after"));
    two.post_comment("bob", "support", "hi").await;
    assert_eq!(ana.next_text().await, message("hi"));
    assert_eq!(bob.next_text().await, message("hi"));
    for node in [one, two] {
        let ready = node.ready().await;
        assert_eq!((ready.status, &ready.json()["warning"]), (200, &Value::Null));
    }
}

/// Asserts that a client that reconnects to the other node with its last id misses nothing.
async fn assert_bob_can_change_nodes(one: &TestServer, two: &TestServer, bob: Watcher) {
    let seen = bob.vanish();
    two.post_comment("ana", "support", "meanwhile").await;
    let mut bob = Watcher::resume(one, "bob", &seen).await;
    assert_eq!(bob.next_text().await, message("meanwhile"));
    two.post_comment("ana", "support", "again").await;
    assert_eq!(bob.next_text().await, message("again"));
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_of_an_unprivileged_role_neither_reach_nor_disturb_clients() {
    let (one, two) = TestServer::start_two().await;
    one.furnish().await;
    let (mut ana, mut bob) = (Watcher::start(&one, "ana").await, Watcher::start(&two, "bob").await);
    one.post_comment("ana", "support", "before").await;
    assert_eq!(bob.next_text().await, message("before"));
    assert_eq!(ana.next_text().await, message("before"));
    let outsider = OutsiderRole::of(&one);
    for packet in forged_packets(&one) {
        outsider.notify(&format!("1/1 {}", STANDARD_NO_PAD.encode(packet)));
    }
    for garbage in ["garbage", "", "1/2 AAAA", "3/2 AAAA", "1/1 %%", "1/99999 AAAA"] {
        outsider.notify(garbage);
    }
    assert_messages_reach_both(&one, &two, &mut ana, &mut bob).await;
    assert_bob_can_change_nodes(&one, &two, bob).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_notifications_do_not_close_inbox_connections() {
    let (one, two) = TestServer::start_two().await;
    let here = World::of(&one).await;
    let admin = here.admin().await;
    let there = Worker { caller: here.at(&two).caller.clone(), ..admin.clone() };
    let zoe = here.waiting("zoe").await;
    let outsider = OutsiderRole::of(&one);
    let mut page = Page::of_hearing(&there, async || here.says(&zoe, "hello?").await).await;
    for garbage in ["garbage", "1/2 AAAA", "1/1 AAAA", "1/1 AQ"] {
        outsider.notify(garbage);
    }
    // The page panics if the server closes it instead.
    here.waiting("ann").await;
    while page.until("counts").await["unassigned"] != 2 {}
}

/// An outsider who reaches a NATS server without a password.
struct OutsiderOfNats {
    client: Client,
    subscription: async_nats::Subscriber,
    subject: String,
}

impl OutsiderOfNats {
    async fn of(server: &nats::Server) -> Self {
        let client = async_nats::connect(server.url()).await.expect("connects");
        let mut subscription = client.subscribe("confab.*").await.expect("subscribes");
        // Nodes announce their position every second.
        let subject = subscription.next().await.expect("a packet").subject.to_string();
        Self { client, subscription, subject }
    }

    async fn sends(&self, packet: Vec<u8>) {
        self.client.publish(self.subject.clone(), packet.into()).await.expect("sent");
    }

    /// Returns all packets so far.
    async fn recorded(&mut self) -> Vec<Vec<u8>> {
        self.sends(b"until here".to_vec()).await;
        let mut packets = Vec::new();
        loop {
            let packet = self.subscription.next().await.expect("a packet").payload.to_vec();
            if packet == b"until here" {
                return packets;
            }
            packets.push(packet);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nats_packets_reveal_no_content_and_forged_or_replayed_ones_have_no_effect() {
    let server = nats::Server::start();
    let (one, two) = TestServer::start_two_with(&[("nats_url", &server.url())]).await;
    one.furnish().await;
    let (mut ana, mut bob) = (Watcher::start(&one, "ana").await, Watcher::start(&two, "bob").await);
    let mut outsider = OutsiderOfNats::of(&server).await;
    one.post_comment("ana", "support", "before").await;
    assert_eq!(bob.next_text().await, message("before"));
    assert_eq!(ana.next_text().await, message("before"));
    let planted = json!({"type": "custom_event", "room_id": "support", "data": {"planted": "bob"}});
    bob.say(&planted.to_string()).await;
    assert_eq!(ana.next().await["data"]["data"], json!({"planted": "bob"}));
    assert_eq!(bob.next().await["type"], "custom_event");
    let recorded = outsider.recorded().await;
    assert!(!recorded.is_empty());
    for packet in &recorded {
        let text = String::from_utf8_lossy(packet);
        assert!(!["planted", "room", "bob"].iter().any(|it| text.contains(it)), "{text}");
    }
    let forged = forged_packets(&one).into_iter().chain([b"garbage".to_vec(), Vec::new()]);
    for packet in forged.chain(recorded) {
        outsider.sends(packet).await;
    }
    outsider.client.flush().await.expect("sent");
    assert_messages_reach_both(&one, &two, &mut ana, &mut bob).await;
    assert_bob_can_change_nodes(&one, &two, bob).await;
}
