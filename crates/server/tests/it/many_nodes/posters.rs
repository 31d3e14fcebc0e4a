//! Posters that post continuously during faults, and checks of their messages afterwards.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use confab_domain::ids::RoomId;
use reqwest::Method;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};

use crate::sigkill::{check_chain, lost, paged_ids};
use crate::support::answer::{Answer, text};
use crate::support::caller::Caller;
use crate::support::engine;
use crate::support::process::Folder;
use crate::support::waiting::PATIENCE;

/// A word in every message, which no log may contain.
pub(crate) const MURMUR: &str = "murmur";

/// Maximum time until a response, in any state of the database.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(30);
/// Pause after a refusal.
const PAUSE: Duration = Duration::from_millis(25);

/// A client that posts numbered messages to one room.
pub(crate) struct Poster {
    user: String,
    room: usize,
    /// Whether messages have unique ids, so that unacknowledged ones are repeated.
    has_unique_ids: bool,
    next: usize,
    /// Id and text of the acknowledged messages, in order.
    acknowledged: Vec<(i64, String)>,
    refused: usize,
    slowest: Duration,
    /// Whether the node was gone before it responded.
    is_cut_off: bool,
}

/// Number of posts answered so far.
#[derive(Clone, Copy, Default)]
struct Answered {
    acknowledged: usize,
    refused: usize,
}

/// All posters, and their rooms.
pub(crate) struct Crowd {
    pub(crate) posters: Vec<Poster>,
    rooms: Vec<RoomId>,
}

/// Running posters.
pub(crate) struct Posting {
    is_over: Arc<AtomicBool>,
    answered: watch::Sender<Answered>,
    working: Vec<JoinHandle<Poster>>,
}

impl Crowd {
    /// Registers this many posters, and creates this many rooms with all of them as participants.
    pub(crate) async fn gather(shop: &Caller, posters: usize, rooms: usize) -> Self {
        let posters: Vec<_> = (0..posters).map(|number| Poster::new(number, rooms)).collect();
        for poster in &posters {
            shop.register(&poster.user).await;
        }
        let users: Vec<_> = posters.iter().map(|poster| poster.user.as_str()).collect();
        let mut made = Vec::new();
        for number in 0..rooms {
            let room = shop.create_room(&room_name(number), &users).await;
            made.push(RoomId(text(&room["room_id"]).parse().expect("an integer")));
        }
        Self { posters, rooms: made }
    }

    /// Starts all posters, distributed over the callers in turn.
    pub(crate) fn post_through(&mut self, callers: &[Caller]) -> Posting {
        Posting::start(std::mem::take(&mut self.posters), callers)
    }

    /// Asserts that acknowledged messages are stored once, in order and in an unbroken chain, and
    /// that every caller reads the same. Prints the counts.
    pub(crate) async fn check(&self, what: &str, folder: &Folder, callers: &[Caller]) {
        let store = engine::store(&folder.location()).await;
        let (mut stored, mut all_lost) = (0, 0);
        for (number, room) in self.rooms.iter().enumerate() {
            let chain = store.chain(*room).await.expect("a chain");
            check_chain(&chain);
            let texts: HashSet<_> = chain.iter().map(|message| &message.text).collect();
            assert_eq!(texts.len(), chain.len(), "each message is stored once");
            let posters = self.posters.iter().filter(|poster| poster.room == number);
            all_lost += posters.map(|poster| lost(&chain, &poster.acknowledged)).sum::<usize>();
            stored += chain.len();
            let ids: Vec<_> = chain.iter().map(|message| message.id.0).collect();
            for caller in callers {
                assert_eq!(
                    paged_ids(caller, &room_name(number)).await,
                    ids,
                    "the pages of the room"
                );
            }
        }
        store.close().await.expect("closed");
        let acknowledged: usize = self.posters.iter().map(|it| it.acknowledged.len()).sum();
        let refused: usize = self.posters.iter().map(|it| it.refused).sum();
        let slowest = self.posters.iter().map(|it| it.slowest).max().unwrap_or_default();
        println!(
            "{what}: {acknowledged} acknowledged, {all_lost} lost, {refused} refused, \
             {stored} stored, the slowest answer after {slowest:?}"
        );
        assert_eq!(all_lost, 0);
    }
}

pub(crate) fn room_name(number: usize) -> String {
    format!("room{number}")
}

impl Posting {
    pub(crate) fn start(posters: Vec<Poster>, callers: &[Caller]) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let answered = watch::Sender::new(Answered::default());
        let mut working = Vec::new();
        for (number, poster) in posters.into_iter().enumerate() {
            let caller = callers[number % callers.len()].clone();
            working.push(tokio::spawn(poster.post(caller, is_over.clone(), answered.clone())));
        }
        Self { is_over, answered, working }
    }

    /// Waits until this many more posts are acknowledged.
    pub(crate) async fn acknowledged(&self, more: usize) {
        let so_far = self.answered.borrow().acknowledged;
        self.wait_for(|answered| answered.acknowledged >= so_far + more).await;
    }

    /// Waits until this many more posts are refused.
    pub(crate) async fn refused(&self, more: usize) {
        let so_far = self.answered.borrow().refused;
        self.wait_for(|answered| answered.refused >= so_far + more).await;
    }

    async fn wait_for(&self, is_enough: impl Fn(&Answered) -> bool) {
        let mut answered = self.answered.subscribe();
        // The returned value locks the count, so it is dropped at once.
        let is_enough = timeout(PATIENCE, answered.wait_for(is_enough)).await.is_ok();
        let Answered { acknowledged, refused } = *self.answered.borrow();
        assert!(is_enough, "only {acknowledged} acknowledged, {refused} refused");
    }

    /// Stops the posters; asserts that every post was answered.
    pub(crate) async fn end(self) -> Vec<Poster> {
        self.is_over.store(true, Ordering::Relaxed);
        let posters = self.until_finished().await;
        assert!(posters.iter().all(|poster| !poster.is_cut_off), "every post is answered");
        posters
    }

    /// Waits until all posters have finished.
    pub(crate) async fn until_finished(self) -> Vec<Poster> {
        let mut posters = Vec::new();
        for working in self.working {
            posters.push(working.await.expect("posted"));
        }
        posters
    }
}

impl Poster {
    fn new(number: usize, rooms: usize) -> Self {
        Self {
            user: format!("user{number}"),
            room: number % rooms,
            has_unique_ids: (number / rooms).is_multiple_of(2),
            next: 0,
            acknowledged: Vec::new(),
            refused: 0,
            slowest: Duration::ZERO,
            is_cut_off: false,
        }
    }

    pub(crate) fn refused(&self) -> usize {
        self.refused
    }

    /// Posts until the end or until the node is gone; asserts that each post is acknowledged or
    /// refused with 503.
    async fn post(
        mut self,
        shop: Caller,
        is_over: Arc<AtomicBool>,
        answered: watch::Sender<Answered>,
    ) -> Self {
        let mut pause = interval(PAUSE);
        self.is_cut_off = false;
        while !is_over.load(Ordering::Relaxed) {
            let message = format!("{MURMUR} {} {}", self.user, self.next);
            let begun = Instant::now();
            let Some(answer) = self.try_post(&shop, &message).await else {
                self.is_cut_off = true;
                self.skip_uncertain_text();
                return self;
            };
            self.slowest = self.slowest.max(begun.elapsed());
            if answer.status == 200 {
                let comment = &answer.json()["results"]["comment"];
                assert_eq!(comment["message"], message, "{answer:?}");
                self.acknowledged.push((comment["id"].as_i64().expect("an id"), message));
                self.next += 1;
                answered.send_modify(|answered| answered.acknowledged += 1);
            } else {
                answer.refused(503, "store_unavailable");
                assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
                self.refused += 1;
                self.skip_uncertain_text();
                answered.send_modify(|answered| answered.refused += 1);
                pause.reset();
                pause.tick().await;
            }
        }
        self
    }

    /// Skips a text that may be stored, unless its unique id allows repeating it.
    fn skip_uncertain_text(&mut self) {
        self.next += usize::from(!self.has_unique_ids);
    }

    async fn try_post(&self, shop: &Caller, message: &str) -> Option<Answer> {
        let unique_id = format!("{}-{}", self.user, self.next);
        let unique_id = if self.has_unique_ids { unique_id.as_str() } else { "" };
        let body = json!({
            "user_id": self.user, "room_id": room_name(self.room), "message": message,
            "unique_temp_id": unique_id,
        });
        let request = shop.request(Method::POST, "post_comment").body(body.to_string());
        let answered = async {
            let response = request.send().await.ok()?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Some(Answer { status, headers, text: response.text().await.ok()? })
        };
        timeout(ANSWERED_WITHIN, answered).await.expect("an answer in bounded time")
    }
}
