//! Acknowledged messages survive repeated SIGKILL, in order.
//!
//! A kill shows that no acknowledged message is in memory only. It does not show that the disk has
//! it: safety from a power failure rests on `synchronous=FULL`.

mod mixed;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::ids::RoomId;
use confab_domain::messages::message::Message;
use tokio::sync::Notify;

use crate::support::answer::text;
use crate::support::caller::Caller;
use crate::support::engine;
use crate::support::process::Folder;

const ROUNDS: usize = 20;
const POSTERS: usize = 16;
const ROOMS: usize = 8;

/// A client that posts numbered messages to one room, over all rounds.
#[derive(Clone, Default)]
struct Poster {
    user: String,
    room: String,
    /// Whether messages have unique ids, so that unacknowledged ones are repeated.
    has_unique_ids: bool,
    next: usize,
    /// Id and text of the acknowledged messages, in order.
    acknowledged: Vec<(i64, String)>,
}

/// A number of successful requests after which the process is killed.
struct Countdown {
    left: AtomicUsize,
    is_over: Notify,
}

impl Poster {
    fn new(number: usize) -> Self {
        let (user, room) = (format!("user{number}"), format!("room{}", number % ROOMS));
        Self { user, room, has_unique_ids: number.is_multiple_of(2), ..Self::default() }
    }

    /// Posts until the server is killed.
    async fn post(mut self, shop: Caller, countdown: Arc<Countdown>) -> Self {
        while self.post_next(&shop).await.is_some() {
            countdown.count();
        }
        self
    }

    /// Skips a text that may be stored, unless its unique id allows repeating it.
    fn begin_again(&mut self) {
        self.next += usize::from(!self.has_unique_ids);
    }

    /// Posts one message; `None` if the server was killed.
    async fn post_next(&mut self, shop: &Caller) -> Option<()> {
        let message = format!("{} {}", self.user, self.next);
        let unique_id = if self.has_unique_ids { message.as_str() } else { "" };
        let body = serde_json::json!({
            "user_id": self.user, "room_id": self.room, "message": message,
            "unique_temp_id": unique_id,
        });
        let request = shop.request(reqwest::Method::POST, "post_comment");
        let answered = request.body(body.to_string()).send().await.ok()?.text().await.ok()?;
        let answer: serde_json::Value = serde_json::from_str(&answered).expect("JSON");
        let comment = &answer["results"]["comment"];
        assert_eq!(comment["message"], message, "{answered}");
        self.acknowledged.push((comment["id"].as_i64().expect("an id"), message));
        self.next += 1;
        Some(())
    }
}

impl Countdown {
    fn from(count: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(count), is_over: Notify::new() })
    }

    fn count(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.is_over.notify_one();
        }
    }
}

async fn open_rooms(shop: &Caller, posters: &[Poster]) -> Vec<RoomId> {
    for poster in posters {
        shop.register(&poster.user).await;
    }
    let users: Vec<_> = posters.iter().map(|poster| poster.user.as_str()).collect();
    let mut rooms = Vec::new();
    for number in 0..ROOMS {
        let room = shop.create_room(&format!("room{number}"), &users).await;
        rooms.push(RoomId(text(&room["room_id"]).parse().expect("an integer")));
    }
    rooms
}

/// Returns a number of acknowledgements from 50 to 399, different in every round and the same in
/// every run.
fn posts_before_kill(round: usize) -> usize {
    50 + ((round * 2_654_435_761) >> 7) % 350
}

async fn run_and_kill(folder: &Folder, posters: Vec<Poster>, round: usize) -> Vec<Poster> {
    let server = folder.serve();
    let countdown = Countdown::from(posts_before_kill(round));
    let running: Vec<_> = posters
        .into_iter()
        .map(|mut poster| {
            poster.begin_again();
            tokio::spawn(poster.post(server.shop(), countdown.clone()))
        })
        .collect();
    countdown.is_over.notified().await;
    server.kill();
    let mut posters = Vec::new();
    for poster in running {
        posters.push(poster.await.expect("posted"));
    }
    posters
}

/// Asserts that numbers have no gap, ids rise, and each message names the one before it.
pub fn check_chain(chain: &[Message]) {
    let mut before = None;
    for (at, message) in chain.iter().enumerate() {
        assert_eq!(message.number, at as u64 + 1);
        assert_eq!(message.before, before, "message {}", message.number);
        assert!(Some(message.id) > before, "message {}", message.number);
        before = Some(message.id);
    }
}

/// Returns how many acknowledged messages are not in a chain in their order, counted from the first
/// that is missing.
pub fn lost(chain: &[Message], acknowledged: &[(i64, String)]) -> usize {
    let mut rest = chain.iter();
    let mut is_there =
        |(id, message): &&(i64, String)| rest.any(|it| it.id.0 == *id && it.text == *message);
    let found = acknowledged.iter().take_while(|it| is_there(it)).count();
    acknowledged.len() - found
}

impl Poster {
    /// Returns the number of missing acknowledged messages; asserts that no message is stored
    /// twice.
    fn lost_in(&self, chain: &[Message]) -> usize {
        let own = chain.iter().filter(|it| it.text.starts_with(&(self.user.clone() + " ")));
        let mut texts: Vec<_> = own.map(|message| &message.text).collect();
        let count = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), count, "each message of {} is stored once", self.user);
        lost(chain, &self.acknowledged)
    }
}

/// Returns the message ids on all pages of a room, oldest first.
pub async fn paged_ids(shop: &Caller, room: &str) -> Vec<i64> {
    let mut ids = Vec::new();
    for page in 1.. {
        let query = [("room_id", room), ("limit", "100"), ("page", &page.to_string())];
        let results = shop.get("load_comments", &query).await.results();
        let comments = results["comments"].as_array().expect("a list");
        if comments.is_empty() {
            break;
        }
        ids.extend(comments.iter().map(|comment| comment["id"].as_i64().expect("an id")));
    }
    ids.reverse();
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_message_survives_twenty_kills_in_order_with_an_unbroken_chain() {
    let folder = Folder::with_app().await;
    let mut posters: Vec<_> = (0..POSTERS).map(Poster::new).collect();
    let rooms = open_rooms(&folder.serve().shop(), &posters).await;
    for round in 1..=ROUNDS {
        posters = run_and_kill(&folder, posters, round).await;
    }

    let store = engine::store(&folder.location()).await;
    let mut chains = Vec::new();
    for room in rooms {
        chains.push(store.chain(room).await.expect("a chain"));
    }
    store.close().await.expect("closed");
    let all_lost: usize =
        posters.iter().enumerate().map(|(at, poster)| poster.lost_in(&chains[at % ROOMS])).sum();
    let acknowledged: usize = posters.iter().map(|poster| poster.acknowledged.len()).sum();
    println!("{ROUNDS} rounds, {acknowledged} acknowledged, {all_lost} lost");
    chains.iter().for_each(|chain| check_chain(chain));
    assert_eq!(all_lost, 0);

    let server = folder.serve();
    for (number, chain) in chains.iter().enumerate() {
        let ids: Vec<_> = chain.iter().map(|message| message.id.0).collect();
        let room = format!("room{number}");
        assert_eq!(paged_ids(&server.shop(), &room).await, ids, "the pages of {room}");
    }
}
