//! The engine: what the store holds is tried until it is delivered or given up.
//!
//! One task owns the [`Lanes`]. It takes in what is new, starts what may run, and waits: for a wake
//! after a commit, for an attempt to end, for the next one to be due. An attempt reads its delivery
//! from the store, so that a backlog costs no memory for bodies. What became of it is committed
//! before its lane goes on: a crash repeats what was under way, and nothing that was written down.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::decision::{Change, Decision, Facts, Question, Stamp, Stamps};
use confab_domain::delivering::{Jitter, Outcome};
use confab_domain::delivery::{Attempt, BUCKETS, ErrorClass, Lane, Progress, Standing};
use confab_domain::endpoint::Endpoint;
use confab_domain::ids::{AppId, DeliveryId};
use confab_domain::limits;
use confab_store::{Store, StoreError};
use tokio::sync::mpsc;

use super::lanes::{Allowed, LaneKey, Lanes, Waiting};
use super::sending::{Keys, Letter, send};
use crate::failures::chain;
use crate::ids;
use crate::outbound::OutboundClient;

/// How long the engine waits at most without looking for what is new.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The pause after the store could not be asked.
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// What the engine works with.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) client: OutboundClient,
    pub(crate) brands: Vec<String>,
    pub(crate) stamps: Arc<dyn Stamps>,
}

/// A running engine.
pub(crate) struct Engine {
    events: mpsc::UnboundedSender<Event>,
    task: tokio::task::JoinHandle<()>,
}

enum Event {
    /// Something may have been committed.
    Wake,
    /// An attempt came to its end.
    Ended(DeliveryId, AppId, Lane, Outcome, Attempt),
    /// And it is written down.
    Recorded(DeliveryId, Outcome, confab_domain::time::Timestamp, Jitter),
    Stop,
}

impl Engine {
    /// Starts with whatever the store holds.
    pub(crate) fn start(parts: Parts) -> Self {
        let (events, incoming) = mpsc::unbounded_channel();
        let run = Run {
            parts: Arc::new(parts),
            events: events.clone(),
            lanes: Lanes::default(),
            seen: vec![DeliveryId(0); BUCKETS as usize],
            allowed_at: HashMap::new(),
            attempts: HashMap::new(),
            look_at: Instant::now(),
        };
        Self { events, task: tokio::spawn(run.run(incoming)) }
    }

    /// Has it look for what is new.
    pub(crate) fn wake(&self) {
        // If it ended, there is nobody to wake.
        let _ = self.events.send(Event::Wake);
    }

    /// Stops; what is under way is tried again by the next start.
    pub(crate) async fn stop(self) {
        let _ = self.events.send(Event::Stop);
        let _ = self.task.await;
    }
}

struct Run {
    parts: Arc<Parts>,
    events: mpsc::UnboundedSender<Event>,
    lanes: Lanes,
    /// The newest delivery of each bucket that was taken in.
    seen: Vec<DeliveryId>,
    /// When the lanes were last told what an app's endpoints allow.
    allowed_at: HashMap<AppId, Instant>,
    attempts: HashMap<DeliveryId, tokio::task::AbortHandle>,
    look_at: Instant,
}

impl Run {
    async fn run(mut self, mut incoming: mpsc::UnboundedReceiver<Event>) {
        loop {
            if self.look_at <= Instant::now() {
                self.look().await;
            }
            self.start_all();
            let event = tokio::time::timeout(self.until_next(), incoming.recv()).await;
            let mut next = match event {
                Ok(None) => break,
                Ok(event) => event,
                Err(_) => None,
            };
            while let Some(event) = next {
                if matches!(event, Event::Stop) {
                    return self.abort();
                }
                self.handle(event);
                next = incoming.try_recv().ok();
            }
        }
        self.abort();
    }

    fn abort(&self) {
        self.attempts.values().for_each(tokio::task::AbortHandle::abort);
    }

    /// Takes in what is new, now and then also without a wake.
    async fn look(&mut self) {
        let pause = match self.take_in().await {
            Ok(()) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!("deliveries cannot be read: {}", chain(&error));
                STORE_PAUSE
            }
        };
        self.look_at = Instant::now() + pause;
    }

    /// Until something is due or it is time to look.
    fn until_next(&self) -> Duration {
        let pause = self.look_at.saturating_duration_since(Instant::now());
        let now = self.parts.stamps.now();
        let due = self.lanes.wake_at().map(|at| at.0.saturating_sub(now.0).max(0) as u64);
        due.map_or(pause, |us| Duration::from_micros(us).min(pause))
    }

    /// Takes in what was committed since the last look.
    async fn take_in(&mut self) -> Result<(), StoreError> {
        for bucket in 0..BUCKETS {
            loop {
                let after = self.seen[bucket as usize];
                let size = limits::DELIVERIES_PER_LOOK;
                let page = self.parts.store.waiting_deliveries(bucket, after, size).await?;
                let is_all = page.len() < size;
                for (delivery, progress) in page {
                    self.allow(delivery.app).await?;
                    self.seen[bucket as usize] = delivery.id;
                    let lane = LaneKey { endpoint: delivery.endpoint, lane: delivery.lane };
                    self.lanes.add(Waiting {
                        id: delivery.id,
                        lane,
                        created_at: delivery.created_at,
                        attempts: progress.attempts,
                        due_at: progress.due_at,
                        failed_at: progress.failed_at,
                        is_parked: progress.standing == Standing::Parked,
                    });
                }
                if is_all {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Tells the lanes what the endpoints of an app allow; as it was at most a second ago.
    async fn allow(&mut self, app: AppId) -> Result<(), StoreError> {
        let age_max = Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        if self.allowed_at.get(&app).is_some_and(|at| at.elapsed() < age_max) {
            return Ok(());
        }
        for Endpoint { id, manners, .. } in self.parts.store.endpoints(app).await? {
            let allowed = Allowed {
                at_once_max: manners.at_once_max,
                per_second_max: manners.per_second_max,
                block_s: u64::from(manners.block_s),
                ..Allowed::default()
            };
            self.lanes.allow(id, allowed);
        }
        self.allowed_at.insert(app, Instant::now());
        Ok(())
    }

    fn start_all(&mut self) {
        while let Some(waiting) = self.lanes.start(self.parts.stamps.now()) {
            let (parts, events) = (self.parts.clone(), self.events.clone());
            let id = waiting.id;
            let running = tokio::spawn(async move {
                let (app, lane, outcome, attempt) = parts.attempt(waiting).await;
                // If the engine stopped, the next one tries it again.
                let _ = events.send(Event::Ended(id, app, lane, outcome, attempt));
            });
            self.attempts.insert(id, running.abort_handle());
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Wake => self.look_at = Instant::now(),
            Event::Stop => {}
            Event::Ended(id, app, lane, outcome, attempt) => {
                let (now, jitter) = (self.parts.stamps.now(), ids::jitter());
                let Some(progress) = self.lanes.judged(id, outcome, now, jitter) else { return };
                let (parts, events) = (self.parts.clone(), self.events.clone());
                let recording = tokio::spawn(async move {
                    parts.record(app, id, lane, attempt, progress).await;
                    let _ = events.send(Event::Recorded(id, outcome, now, jitter));
                });
                self.attempts.insert(id, recording.abort_handle());
            }
            Event::Recorded(id, outcome, now, jitter) => {
                self.attempts.remove(&id);
                self.lanes.finished(id, outcome, now, jitter);
            }
        }
    }
}

impl Parts {
    /// Reads the delivery, signs it with the keys of now and sends it.
    async fn attempt(&self, waiting: Waiting) -> (AppId, Lane, Outcome, Attempt) {
        let lane = waiting.lane.lane;
        let number = waiting.attempts + 1;
        loop {
            match self.try_once(waiting, lane, number).await {
                Ok((app, outcome, attempt)) => return (app, lane, outcome, attempt),
                Err(error) => {
                    tracing::warn!("a delivery cannot be read: {}", chain(&error));
                    pause().await;
                }
            }
        }
    }

    async fn try_once(
        &self,
        waiting: Waiting,
        lane: Lane,
        number: u32,
    ) -> Result<(AppId, Outcome, Attempt), StoreError> {
        let now = self.stamps.now();
        let disabled = |app| {
            let (error, class) = (Some(ErrorClass::Disabled), ErrorClass::Disabled);
            let answer = "the endpoint is switched off".to_owned();
            let attempt = Attempt {
                number,
                at: now,
                error,
                status: None,
                peer: None,
                phases_us: [None; 5],
                answer,
            };
            (app, Outcome::Failed { class, retry_after_s: None }, attempt)
        };
        let found = self.store.delivery(lane, waiting.id).await?;
        let Some((delivery, _, _)) = found else { return Ok(disabled(AppId(0))) };
        let app = self.store.app_by_id(delivery.app).await?;
        let endpoints = self.store.endpoints(delivery.app).await?;
        let endpoint = endpoints.into_iter().find(|it| it.id == delivery.endpoint);
        let (Some(app), Some(endpoint)) = (app, endpoint.filter(|it| it.is_enabled)) else {
            return Ok(disabled(delivery.app));
        };
        let letter = Letter {
            delivery: &delivery,
            number,
            url: &endpoint.url,
            timeout: Duration::from_millis(u64::from(endpoint.manners.timeout_ms)),
            keys: Keys::of(&app, now),
            brands: &self.brands,
            sent_at: now,
            is_after_gap: false,
        };
        let (outcome, attempt) = send(&self.client, letter).await;
        Ok((delivery.app, outcome, attempt))
    }

    /// Writes it down, again and again until the store takes it.
    async fn record(
        &self,
        app: AppId,
        delivery: DeliveryId,
        lane: Lane,
        attempt: Attempt,
        progress: Progress,
    ) {
        loop {
            let attempt = attempt.clone();
            let rule = move |_: &Facts, _: &Stamp<'_>| {
                let attempt = attempt.clone();
                let change = Change::RecordAttempt { delivery, lane, attempt, progress };
                Ok(Decision { changes: vec![change], outcome: () })
            };
            match self.store.decide(app, Question::default(), rule).await {
                Ok(()) => return,
                Err(error) => {
                    tracing::warn!("an attempt cannot be written down: {}", chain(&error));
                    pause().await;
                }
            }
        }
    }
}

async fn pause() {
    let mut pause = tokio::time::interval(STORE_PAUSE);
    pause.tick().await;
    pause.tick().await;
}

#[cfg(test)]
mod tests;
