//! Mixed load with repeated kills: posts, page loads, deletions, customers' messages, webhooks and
//! a realtime viewer. No acknowledged message is lost, stored twice or out of order, and no webhook
//! is lost or out of order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::ids::RoomId;
use confab_domain::messages::message::Message;
use confab_test_servers::receiver::{Receiver, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Countdown, Poster, check_chain, open_rooms};
use crate::realtime::watcher::Watcher;
use crate::support::answer::{items, text};
use crate::support::caller::{Caller, with_json, with_query};
use crate::support::engine;
use crate::support::office::{Office, Worker};
use crate::support::oracle::Verdict;
use crate::support::process::{Confab, Folder};

const POSTERS: usize = 16;
const DELETERS: usize = 4;
const CUSTOMERS: usize = 8;
const TRIGGERERS: usize = 4;
const READERS: usize = 4;

/// Interval between the actions of a client, unless the server takes longer.
const PACE: Duration = Duration::from_millis(100);
/// Delay of the receiver's response, so that deliveries are always in flight.
const RESPONSE_DELAY: Duration = Duration::from_millis(3);
/// Maximum time without an arrival while deliveries are missing.
const QUIET_MAX: Duration = Duration::from_secs(180);
/// Number of messages after which a conversation is resolved.
const CONVERSATION: usize = 20;

/// A client that acts repeatedly.
trait LoadClient: Send + Sized + 'static {
    /// Performs the next action; `None` if the server was killed.
    fn act(&mut self, shop: &Caller) -> impl Future<Output = Option<()>> + Send;

    /// Drops state that is uncertain since the server was killed.
    fn begin_again(&mut self) {}

    /// Acts until the server is killed.
    fn run(mut self, shop: Caller, countdown: Arc<Countdown>) -> impl Future<Output = Self> + Send {
        async move {
            self.begin_again();
            let mut pace = tokio::time::interval(PACE);
            pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                pace.tick().await;
                let Some(()) = self.act(&shop).await else { return self };
                countdown.count();
            }
        }
    }
}

/// Returns the JSON of a response with status 200; `None` if the server was killed.
async fn answered(request: reqwest::RequestBuilder) -> Option<Value> {
    let response = request.send().await.ok()?;
    let status = response.status();
    let text = response.text().await.ok()?;
    assert_eq!(status, 200, "{text}");
    Some(serde_json::from_str(&text).expect("JSON"))
}

impl LoadClient for Poster {
    async fn act(&mut self, shop: &Caller) -> Option<()> {
        self.post_next(shop).await
    }

    fn begin_again(&mut self) {
        Self::begin_again(self);
    }
}

/// A client that posts messages and deletes them.
#[derive(Default)]
struct Deleter {
    number: usize,
    next: usize,
    deleted: Vec<i64>,
}

impl LoadClient for Deleter {
    async fn act(&mut self, shop: &Caller) -> Option<()> {
        self.next += 1;
        let (user, room) = (format!("user{}", self.number), format!("room{}", self.number));
        let unique_id = format!("slip {} {}", self.number, self.next);
        let body = json!({
            "user_id": user, "room_id": room, "message": "A slip", "unique_temp_id": unique_id,
        });
        let posted = with_json(shop.request(Method::POST, "post_comment"), &body);
        let id = answered(posted).await?["results"]["comment"]["id"].as_i64().expect("an id");
        let body = json!({"unique_ids": [unique_id]});
        answered(with_json(shop.request(Method::DELETE, "delete_messages"), &body)).await?;
        self.deleted.push(id);
        Some(())
    }
}

/// A customer who writes through a channel, with conversations that are resolved regularly.
struct Customer {
    name: String,
    key: String,
    admin: Worker,
    next: usize,
    /// Texts of the acknowledged messages, by room.
    acknowledged: HashMap<String, Vec<String>>,
    resolved: usize,
}

impl LoadClient for Customer {
    async fn act(&mut self, shop: &Caller) -> Option<()> {
        self.next += 1;
        let message = format!("{} {}", self.name, self.next);
        let body = json!({
            "identifier_key": self.key, "user_id": self.name, "name": self.name, "message": message,
        });
        let path = format!("/{}/api/v2/custom_channel/send", shop.code);
        let answer = answered(with_json(shop.bare(Method::POST, &path), &body)).await?;
        let room = text(&answer["data"]["room_log"]["room_id"]).to_owned();
        self.acknowledged.entry(room.clone()).or_default().push(message);
        if self.next.is_multiple_of(CONVERSATION) {
            let admin = Worker { caller: shop.clone(), ..self.admin.clone() };
            let path = "/api/v1/admin/service/mark_as_resolved";
            let resolving = admin.request(Method::POST, path);
            answered(with_json(resolving, &json!({"room_id": room}))).await?;
            self.resolved += 1;
        }
        Some(())
    }
}

/// A client that triggers webhooks in one room after another.
struct Triggerer {
    rooms: Vec<RoomId>,
    next: usize,
    acknowledged: Vec<i64>,
}

impl LoadClient for Triggerer {
    async fn act(&mut self, shop: &Caller) -> Option<()> {
        self.next += 1;
        let RoomId(room) = self.rooms[self.next % self.rooms.len()];
        self.acknowledged.push(shop.try_trigger("bot", Some(&room.to_string())).await?);
        Some(())
    }
}

/// A client that loads pages of one room after another.
struct Reader {
    next: usize,
    pages: usize,
}

impl LoadClient for Reader {
    async fn act(&mut self, shop: &Caller) -> Option<()> {
        self.next += 1;
        let (room, page) = (format!("room{}", self.next % super::ROOMS), self.next % 3 + 1);
        let query = [("room_id", room.as_str()), ("limit", "50"), ("page", &page.to_string())];
        let call = with_query("load_comments", &query);
        let answer = answered(shop.request(Method::GET, &call)).await?;
        let ids = items(&answer["results"]["comments"]).iter().map(|it| it["id"].as_i64());
        assert!(ids.is_sorted_by(|newer, older| newer > older), "{answer}");
        self.pages += 1;
        Some(())
    }
}

/// A realtime viewer of the first room, who resumes where the last connection ended.
#[derive(Default)]
struct Viewer {
    seen: String,
    /// Ids of the messages shown.
    shown: Vec<i64>,
}

impl Viewer {
    /// Watches until the server is killed.
    async fn run(mut self, mut watcher: Watcher) -> Self {
        while let Some(frame) = watcher.next_or_gone().await {
            self.receive(&frame);
        }
        let seen = watcher.vanish();
        if !seen.is_empty() {
            self.seen = seen;
        }
        self
    }

    fn receive(&mut self, frame: &Value) {
        assert_ne!(frame["type"], "resync", "events are retained during a restart");
        if frame["type"] == "message" {
            self.shown.push(frame["data"]["id"].as_i64().expect("an id"));
        }
    }
}

/// All clients, over all kills.
struct World {
    folder: Folder,
    receiver: Receiver,
    rooms: Vec<RoomId>,
    posters: Vec<Poster>,
    deleters: Vec<Deleter>,
    customers: Vec<Customer>,
    triggerers: Vec<Triggerer>,
    readers: Vec<Reader>,
    viewer: Option<Viewer>,
}

impl World {
    async fn begin() -> Self {
        let folder = Folder::with_app().await;
        let receiver = Receiver::replying(|_| Reply::status(200).after(RESPONSE_DELAY)).await;
        let server = folder.serve();
        let (shop, office) = (server.shop(), Office::of(&server.shop()));
        let posters: Vec<_> = (0..POSTERS).map(Poster::new).collect();
        let rooms = open_rooms(&shop, &posters).await;
        shop.register("viewer").await;
        let body = json!({"room_id": "room0", "user_ids": ["viewer"]});
        shop.post("add_room_participants", body).await.results();
        shop.tell("bot", &receiver.url, &json!({})).await;
        let admin = office.hire("wati", "admin").await;
        let body = json!({"name": "SMS", "webhook_url": receiver.url});
        let channel = admin.post("/api/v2/custom_channels", body).await.data();
        let key = text(&channel["custom_channel"]["identifier_key"]).to_owned();
        let customer = |number: usize| Customer {
            name: format!("customer{number}"),
            key: key.clone(),
            admin: admin.clone(),
            next: 0,
            acknowledged: HashMap::new(),
            resolved: 0,
        };
        let triggerer = |next| Triggerer { rooms: rooms.clone(), next, acknowledged: Vec::new() };
        let deleter = |number| Deleter { number, ..Deleter::default() };
        server.kill();
        Self {
            posters,
            deleters: (0..DELETERS).map(deleter).collect(),
            customers: (0..CUSTOMERS).map(customer).collect(),
            triggerers: (0..TRIGGERERS).map(triggerer).collect(),
            readers: (0..READERS).map(|next| Reader { next, pages: 0 }).collect(),
            viewer: Some(Viewer::default()),
            folder,
            receiver,
            rooms,
        }
    }

    /// Starts the server, runs all clients, and kills the server after this many actions or this
    /// time.
    async fn run_and_kill(&mut self, actions: usize, at_most: Duration) {
        let server = self.folder.serve();
        let (shop, countdown) = (server.shop(), Countdown::from(actions));
        let viewer = self.viewer.take().expect("a viewer");
        let watcher = Watcher::resume(&shop, "viewer", &viewer.seen).await;
        let viewer = tokio::spawn(viewer.run(watcher));
        let running = (
            started(&mut self.posters, &shop, &countdown),
            started(&mut self.deleters, &shop, &countdown),
            started(&mut self.customers, &shop, &countdown),
            started(&mut self.triggerers, &shop, &countdown),
            started(&mut self.readers, &shop, &countdown),
        );
        // After this time, the server is killed even if there were fewer actions.
        let _ = tokio::time::timeout(at_most, countdown.is_over.notified()).await;
        server.kill();
        self.posters = ended(running.0).await;
        self.deleters = ended(running.1).await;
        self.customers = ended(running.2).await;
        self.triggerers = ended(running.3).await;
        self.readers = ended(running.4).await;
        self.viewer = Some(viewer.await.expect("the viewer ended"));
    }

    /// Checks the stored messages, the deliveries, and what the viewer was shown.
    async fn check(mut self, kills: usize, begun: Instant) {
        let server = self.folder.serve();
        let triggered: Vec<_> =
            self.triggerers.iter().flat_map(|it| it.acknowledged.iter().copied()).collect();
        self.until_all_arrived(&server, &triggered).await;
        server.shop().nothing_waits().await;
        let verdict = Verdict::of(&triggered, &self.receiver.seen());
        let shown = self.shown_to_the_viewer(&server).await;
        server.kill();
        let store = engine::store(&self.folder.location()).await;
        let mut chains = Vec::new();
        for room in &self.rooms {
            chains.push(store.chain(*room).await.expect("a chain"));
        }
        let (mut written, mut missing) = (0, 0);
        for (room, texts) in self.customers.iter().flat_map(|it| &it.acknowledged) {
            let room = RoomId(room.parse().expect("an integer"));
            let chain = store.chain(room).await.expect("a chain");
            let mut rest = chain.iter();
            missing += texts.iter().filter(|it| !rest.any(|stored| stored.text == **it)).count();
            written += texts.len();
            check_chain(&chain);
        }
        store.close().await.expect("closed");
        chains.iter().for_each(|chain| check_chain(chain));
        let lost: usize = self
            .posters
            .iter()
            .enumerate()
            .map(|(at, poster)| poster.lost_in(&chains[at % super::ROOMS]))
            .sum();
        let back: usize = self.deleters.iter().map(|it| it.back_in(&chains[it.number])).sum();
        // A message that is deleted before it is shown is never shown.
        let remaining = chains[0].iter().filter(|message| !message.is_deleted);
        let in_room: Vec<_> = remaining.map(|message| message.id.0).collect();
        let shown_remaining: Vec<_> =
            shown.iter().copied().filter(|id| in_room.binary_search(id).is_ok()).collect();
        let posted: usize = self.posters.iter().map(|it| it.acknowledged.len()).sum();
        let deleted: usize = self.deleters.iter().map(|it| it.deleted.len()).sum();
        let pages: usize = self.readers.iter().map(|it| it.pages).sum();
        let resolved: usize = self.customers.iter().map(|it| it.resolved).sum();
        println!(
            "{kills} kills in {:.0?}: {posted} posted, {lost} lost; {deleted} deleted, {back} \
             back; {written} written by customers, {missing} lost, {resolved} resolved; {} \
             webhooks triggered, {} arrived, {verdict}; {pages} pages; {} of {} messages shown, \
             {} with those deleted since",
            begun.elapsed(),
            triggered.len(),
            self.receiver.count(),
            shown_remaining.len(),
            in_room.len(),
            shown.len(),
        );
        assert_eq!((lost, back, missing), (0, 0, 0));
        assert_eq!((verdict.lost, verdict.out_of_order), (0, 0));
        // At each kill, at most one delivery per room was in flight.
        assert!(verdict.duplicated <= kills * (self.rooms.len() + CUSTOMERS));
        assert!(shown.is_sorted_by(|one, next| one < next), "each message is shown once, in order");
        let unseen: Vec<_> =
            in_room.iter().filter(|id| shown_remaining.binary_search(id).is_err()).collect();
        assert!(unseen.is_empty(), "not shown: {unseen:?}");
    }

    /// Waits until all deliveries have arrived.
    ///
    /// On PostgreSQL, those of a killed node are sent after its lease expires, and may be many.
    async fn until_all_arrived(&self, server: &Confab, ids: &[i64]) {
        let (shop, mut pause) = (server.shop(), tokio::time::interval(Duration::from_secs(1)));
        let (mut count, mut since) = (self.receiver.count(), Instant::now());
        loop {
            let seen = self.receiver.seen();
            let accepted: HashSet<_> =
                seen.iter().filter(|it| it.is_taken()).map(|it| it.id).collect();
            let missing: Vec<_> = ids.iter().filter(|id| !accepted.contains(id)).collect();
            if missing.is_empty() {
                return;
            }
            if seen.len() > count {
                (count, since) = (seen.len(), Instant::now());
            }
            if since.elapsed() > QUIET_MAX {
                let first = shop.delivery(*missing[0]).await;
                panic!("{} of {} do not arrive; the first: {first}", missing.len(), ids.len());
            }
            pause.tick().await;
        }
    }

    /// Returns the ids that the viewer was shown, once all are shown.
    async fn shown_to_the_viewer(&mut self, server: &Confab) -> Vec<i64> {
        let shop = server.shop();
        let mut viewer = self.viewer.take().expect("a viewer");
        let mut watcher = Watcher::resume(&shop, "viewer", &viewer.seen).await;
        let last = shop.post_comment("user0", "room0", "That is all").await;
        while viewer.shown.last() != last["id"].as_i64().as_ref() {
            let frame = watcher.next().await;
            viewer.receive(&frame);
        }
        viewer.shown
    }
}

impl Deleter {
    /// Returns the number of deleted messages that can be read again.
    fn back_in(&self, chain: &[Message]) -> usize {
        let there: HashSet<_> =
            chain.iter().filter(|it| !it.is_deleted).map(|it| it.id.0).collect();
        self.deleted.iter().filter(|id| there.contains(id)).count()
    }
}

type Running<D> = Vec<tokio::task::JoinHandle<D>>;

fn started<D: LoadClient>(
    all: &mut Vec<D>,
    shop: &Caller,
    countdown: &Arc<Countdown>,
) -> Running<D> {
    let start = |client: D| tokio::spawn(client.run(shop.clone(), countdown.clone()));
    all.drain(..).map(start).collect()
}

async fn ended<D: LoadClient>(running: Running<D>) -> Vec<D> {
    let mut all = Vec::new();
    for client in running {
        all.push(client.await.expect("the client ended"));
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_requests_under_mixed_load_survive_kills() {
    let (mut world, begun) = (World::begin().await, Instant::now());
    for _ in 0..2 {
        world.run_and_kill(400, Duration::from_secs(60)).await;
    }
    world.check(2, begun).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes an hour: make test-hour"]
async fn acknowledged_requests_under_mixed_load_survive_an_hour_of_kills() {
    let (mut world, begun, mut kills) = (World::begin().await, Instant::now(), 0);
    let minutes =
        std::env::var("CONFAB_TEST_MINUTES").map_or(60, |it| it.parse().expect("minutes"));
    while begun.elapsed() < Duration::from_secs(60 * minutes) {
        world.run_and_kill(usize::MAX, Duration::from_secs(20)).await;
        kills += 1;
    }
    world.check(kills, begun).await;
}
