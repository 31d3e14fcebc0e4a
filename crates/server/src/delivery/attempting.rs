//! Attempts: a delivery is read as it is stored, sent, judged, and what became of it written down.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::decision::change::Change;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{DeliveryId, RoomId, UserKey};
use confab_domain::push::pushing::recipient;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass, Progress};
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_domain::webhooks::retry_schedule::Outcome;
use confab_store::Store;
use confab_wire::push::Envelope;

use super::addresses::{Addressee, Addresses};
use super::lanes::{Allowed, Judged, Waiting, judge};
use super::listeners::Listeners;
use super::pushing::{PushLetter, Pushed, Pushing};
use super::sending::{Keys, Letter, send};
use super::steady::SteadyClock;
use super::turns::Turn;
use crate::failures::chain;
use crate::ids;
use crate::outbound::OutboundClient;

/// The pause after the store could not be asked.
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// What attempts work with.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) client: Arc<OutboundClient>,
    pub(crate) brands: Vec<String>,
    pub(crate) stamps: Arc<dyn Stamps>,
    pub(crate) listeners: Arc<Listeners>,
    /// Nothing if this server pushes nothing.
    pub(crate) pushing: Option<Pushing>,
}

/// A delivery that is to be tried now.
pub(super) struct Task {
    pub(super) waiting: Waiting,
    /// Where it goes; nothing if that is not known, or was switched off.
    pub(super) addressee: Option<Addressee>,
    pub(super) allowed: Arc<Allowed>,
    pub(super) is_after_gap: bool,
}

/// An attempt that was made and written down.
pub(super) struct Ended {
    pub(super) id: DeliveryId,
    pub(super) addressee: Option<Addressee>,
    pub(super) outcome: Outcome,
    pub(super) judged: Judged,
    pub(super) at: Timestamp,
}

impl Parts {
    /// Reads what is to be sent, again and again until the store gives it. Without those that are
    /// not as we know them: somebody else has sent them meanwhile.
    pub(super) async fn read(&self, tasks: Vec<Task>) -> (Vec<(Task, Delivery)>, Vec<DeliveryId>) {
        let key = |task: &Task| (task.waiting.lane.lane, task.waiting.id);
        let ids: Vec<_> = tasks.iter().map(key).collect();
        let found = loop {
            match self.store.deliveries(&ids).await {
                Ok(found) => break found,
                Err(error) => {
                    tracing::debug!("deliveries cannot be read: {}", chain(&error));
                    pause().await;
                }
            }
        };
        let by_id =
            |(delivery, progress): (Delivery, Progress)| (delivery.id, (delivery, progress));
        let mut found: HashMap<_, _> = found.into_iter().map(by_id).collect();
        let (mut read, mut gone) = (Vec::with_capacity(tasks.len()), Vec::new());
        for task in tasks {
            let waiting = &task.waiting;
            let as_known = found.remove(&waiting.id).filter(|(_, progress)| {
                progress.standing.is_waiting() && progress.attempts == waiting.attempts
            });
            match as_known {
                Some((delivery, _)) => read.push((task, delivery)),
                None => gone.push(waiting.id),
            }
        }
        (read, gone)
    }

    /// Makes the attempt when its turn comes, and writes it down.
    pub(super) async fn attempt(
        &self,
        task: Task,
        delivery: Delivery,
        mut turn: Turn,
        clock: SteadyClock,
    ) -> Ended {
        turn.comes().await;
        let Task { waiting, addressee, allowed, is_after_gap } = task;
        let addressee = match addressee {
            None => self.addressee_now(&waiting).await,
            known => known,
        };
        let number = waiting.attempts + 1;
        let sent_at = self.stamps.now();
        let mut also = None;
        let (outcome, attempt) = match &addressee {
            None => unsent(number, sent_at, ErrorClass::Disabled, "the endpoint is switched off"),
            Some(_) if self.is_superseded(&delivery).await => {
                let why = "somebody serves the customer, or nobody needs to";
                unsent(number, sent_at, ErrorClass::Superseded, why)
            }
            Some(Addressee { endpoint, .. }) if delivery.kind == NoticeKind::Push => {
                let letter = PushLetter {
                    delivery: &delivery,
                    number,
                    since: waiting.since,
                    timeout: Duration::from_millis(u64::from(endpoint.manners.timeout_ms)),
                    sent_at,
                };
                let pushed = self.push(letter, &allowed).await;
                also = pushed.change;
                (pushed.outcome, pushed.attempt)
            }
            Some(Addressee { app, endpoint }) => {
                let letter = Letter {
                    delivery: &delivery,
                    number,
                    url: &endpoint.url,
                    timeout: Duration::from_millis(u64::from(endpoint.manners.timeout_ms)),
                    keys: Keys::of(app, sent_at),
                    brands: &self.brands,
                    sent_at,
                    is_after_gap,
                };
                send(&self.client, letter).await
            }
        };
        drop(turn);
        count(&delivery, &attempt);
        let at = clock.now();
        let judged = judge(&allowed, &waiting, outcome, at, ids::jitter());
        self.record(&delivery, attempt, judged, also).await;
        Ended { id: waiting.id, addressee, outcome, judged, at }
    }

    /// Pushes, unless that is of no use any more.
    async fn push(&self, letter: PushLetter<'_>, allowed: &Allowed) -> Pushed {
        let PushLetter { delivery, number, since, sent_at, .. } = letter;
        let not_sent = |class, why| {
            let (outcome, attempt) = unsent(number, sent_at, class, why);
            Pushed { outcome, attempt, change: None }
        };
        let Some(pushing) = &self.pushing else {
            return not_sent(ErrorClass::Disabled, "this server does not push");
        };
        if allowed.plan.is_over(since, sent_at) {
            return not_sent(ErrorClass::Expired, "it is too old to be shown");
        }
        match recipient(delivery) {
            Some(user) if pushing.is_connected(user).await => {
                not_sent(ErrorClass::Superseded, "the user is connected")
            }
            Some(user) if self.is_unwanted(user, delivery).await => {
                not_sent(ErrorClass::Superseded, "the user blocked who said it")
            }
            _ => pushing.send(&self.client, letter).await,
        }
    }

    /// Whether the user whom a push is for blocked who said it; they may have since (D-0045).
    async fn is_unwanted(&self, user: UserKey, push: &Delivery) -> bool {
        let sender = Envelope::open(&push.body).and_then(|envelope| envelope.sender);
        let Some(sender) = sender.map(UserKey) else { return false };
        loop {
            match self.store.has_blocked(user, sender).await {
                Ok(has_blocked) => return has_blocked,
                Err(error) => {
                    tracing::debug!("it cannot be read who blocked whom: {}", chain(&error));
                    pause().await;
                }
            }
        }
    }

    /// Where it goes, as the store has it now: the endpoint may have been made, or switched on,
    /// since its app was last looked at. Nothing is given up for what was true a moment ago.
    async fn addressee_now(&self, waiting: &Waiting) -> Option<Addressee> {
        let mut addresses = Addresses::default();
        while let Err(error) = addresses.refresh(&self.store, waiting.app).await.map(drop) {
            tracing::debug!("endpoints cannot be read: {}", chain(&error));
            pause().await;
        }
        addresses.of(waiting.app, waiting.lane.endpoint)
    }

    /// Somebody was asked for who is not needed any more (spec 6). Read without a lock: whoever is
    /// assigned from now on is assigned while it is under way.
    async fn is_superseded(&self, delivery: &Delivery) -> bool {
        if delivery.kind != NoticeKind::AgentAllocation {
            return false;
        }
        loop {
            match self.store.needs_nobody(RoomId(delivery.lane.0)).await {
                Ok(needs_nobody) => return needs_nobody,
                Err(error) => {
                    tracing::debug!("a customer's room cannot be read: {}", chain(&error));
                    pause().await;
                }
            }
        }
    }

    /// Writes it down with what else follows from it, again and again until the store takes it.
    async fn record(
        &self,
        delivery: &Delivery,
        attempt: Attempt,
        judged: Judged,
        also: Option<Change>,
    ) {
        let (id, lane, progress) = (delivery.id, delivery.lane, judged.progress);
        loop {
            let (attempt, also) = (attempt.clone(), also.clone());
            let rule = move |_: &Facts, _: &Stamp<'_>| {
                let attempt = attempt.clone();
                let change = Change::RecordAttempt { delivery: id, lane, attempt, progress };
                let changes = std::iter::once(change).chain(also.clone()).collect();
                Ok(Decision { changes, outcome: () })
            };
            match self.store.decide(delivery.app, Question::default(), rule).await {
                Ok(()) => return,
                Err(error) => {
                    tracing::debug!("an attempt cannot be written down: {}", chain(&error));
                    pause().await;
                }
            }
        }
    }
}

/// Tells the metrics; the lag of a delivery is the time until its first byte was sent.
fn count(delivery: &Delivery, attempt: &Attempt) {
    let labels = [
        ("kind", delivery.kind.as_str()),
        ("outcome", attempt.error.map_or("delivered", ErrorClass::as_str)),
    ];
    metrics::counter!("confab_webhook_attempts_total", &labels).increment(1);
    if attempt.number == 1 {
        let until_connected: u32 = attempt.phases_us[..3].iter().flatten().sum();
        let waited_us = attempt.at.0.saturating_sub(delivery.created_at.0).max(0);
        let lag_s = (waited_us + i64::from(until_connected)) as f64 / 1e6;
        metrics::histogram!("confab_webhook_lag_seconds").record(lag_s);
    }
}

/// An attempt that was not made.
pub(super) fn unsent(
    number: u32,
    at: Timestamp,
    class: ErrorClass,
    why: &str,
) -> (Outcome, Attempt) {
    let attempt = Attempt {
        number,
        at,
        error: Some(class),
        status: None,
        peer: None,
        phases_us: [None; 5],
        answer: why.to_owned(),
    };
    (Outcome::Failed { class, retry_after_s: None }, attempt)
}

async fn pause() {
    let mut pause = tokio::time::interval(STORE_PAUSE);
    pause.tick().await;
    pause.tick().await;
}
