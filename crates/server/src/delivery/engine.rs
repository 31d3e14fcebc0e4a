//! The engine: what the store holds is tried until it is delivered or given up.
//!
//! One task owns the [`Lanes`]. It takes in what is new, starts what may run, and waits: for a wake
//! after a commit, for an attempt to end, for the next one to be due. What starts in the turn that
//! found it goes out as it was found; whatever has to wait is read again when its turn comes, so
//! that a backlog costs no memory for bodies. What became of it is committed before its lane goes
//! on: a crash repeats what was under way, and nothing that was written down. Endpoints are looked
//! at beside all this, so that many of them hold nobody up.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Delivery, DeliveryState, Pending};
use confab_store::{LeasedBuckets, ScanMark, StoreError};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::addresses::{AddressCache, Addresses};
use super::attempting::{Ended, Parts, Reading};
use super::bucket_leases::BucketLeases;
use super::cause_order::{CauseTurn, line_up};
use super::health;
use super::lanes::{Allowed, LaneKey, Lanes, PendingDelivery};
use super::liveness::Liveness;
use super::monotonic_clock::MonotonicClock;
use super::wake::DeliveryWake;
use crate::delivery::task::{Task, YieldSlot};
use crate::failures::chain;
use crate::panics::caught;
use crate::supervisor::Supervisor;
use crate::{ids, open_files};

/// How long the engine waits at most without looking for what is new.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often everything that waits is looked at, in case a look missed something: transaction
/// numbers begin anew when a database is restored or fails over.
const LOOK_AT_ALL_EVERY: Duration = Duration::from_secs(300);
/// The pause after the store could not be asked.
const STORE_PAUSE: Duration = Duration::from_millis(500);
/// How often the numbers are told.
const MEASURE_EVERY: Duration = Duration::from_secs(2);
/// Deliveries that are read from the store at a time, and reads under way at once: what comes
/// meanwhile is read together.
const READ_MAX: usize = 256;
const READS_AT_ONCE: usize = 2;
/// Apps whose endpoints are looked at again in one turn.
const REFRESHED_MAX: usize = 100;
const MINUTE_US: i64 = 60 * 1_000_000;
/// How often something is noted of one endpoint.
const NOTED_EVERY: Duration = Duration::from_secs(2);
/// An attempt ends by its timeout, which is a minute at most, and is then written down.
const ENDS_WITHIN_US: i64 = 120 * 1_000_000;
/// No attempt waits longer, whatever the clock was when that was written down.
const WAIT_MAX_US: i64 = 24 * 3600 * 1_000_000;

/// A running engine.
pub(crate) struct DeliveryEngine {
    stop: mpsc::UnboundedSender<EngineEvent>,
    liveness: Arc<Liveness>,
    task: tokio::task::JoinHandle<()>,
}

enum EngineEvent {
    /// Deliveries were read together, or could not be.
    ReadTogether(Result<Reading, Vec<Task>>),
    ReadAlone(Reading),
    /// Apps and their endpoints, as they were read beside the engine.
    Learnt(Vec<(AppId, AddressCache)>),
    /// An attempt waits for somebody else.
    Aside(DeliveryId),
    /// An attempt came to its end and is written down.
    Ended(Ended),
    /// The buckets that we asked for then.
    PostponedScope(Instant, Result<LeasedBuckets, StoreError>),
    /// Nothing is to be started any more.
    Stop,
}

impl DeliveryEngine {
    /// Starts with whatever the store holds. `wake` has it look for what is new.
    pub(crate) fn start(parts: Parts, wake: Arc<DeliveryWake>, chores: Supervisor) -> Self {
        let (events, mut incoming) = mpsc::unbounded_channel();
        let (parts, liveness) = (Arc::new(parts), Arc::new(Liveness::default()));
        let (stop, beats) = (events.clone(), liveness.clone());
        let task = tokio::spawn(async move {
            let mut is_stopping = false;
            loop {
                let (parts, wake) = (parts.clone(), wake.clone());
                let mut run = Run::new(parts, wake, events.clone(), beats.clone());
                run.is_stopping = is_stopping;
                if caught(AssertUnwindSafe(run.run(&mut incoming))).await.is_ok() {
                    return;
                }
                chores.ended("delivering").await;
                // As after a crash: what was under way is found in the store.
                while let Ok(event) = incoming.try_recv() {
                    is_stopping |= matches!(event, EngineEvent::Stop);
                }
            }
        });
        Self { stop, liveness, task }
    }

    /// Whether deliveries move.
    pub(crate) fn liveness(&self) -> Arc<Liveness> {
        self.liveness.clone()
    }

    /// Stops: nothing is started any more, and what is under way may end within the grace. What
    /// does not is tried again by the next start.
    pub(crate) async fn stop(self, grace: Duration) {
        let Self { stop, mut task, .. } = self;
        let _ = stop.send(EngineEvent::Stop);
        if tokio::time::timeout(grace, &mut task).await.is_err() {
            task.abort();
            // Its end is waited for, so that nothing of it runs any more.
            let _ = task.await;
        }
    }
}

struct Run {
    parts: Arc<Parts>,
    wake: Arc<DeliveryWake>,
    events: mpsc::UnboundedSender<EngineEvent>,
    liveness: Arc<Liveness>,
    clock: MonotonicClock,
    /// Our name among those that share the deliveries.
    sender: String,
    holding: BucketLeases,
    lanes: Lanes,
    /// What this turn's look found and was never tried, as it is to be sent.
    found: HashMap<DeliveryId, Delivery>,
    /// What starts and is to be read, and how many reads are under way.
    unread: Vec<Task>,
    reads: usize,
    addresses: Addresses,
    /// Looks at apps again.
    refreshing: Option<AbortHandle>,
    /// Up to where the store was looked at.
    mark: ScanMark,
    look_at: Instant,
    look_at_all_at: Instant,
    refresh_at: Instant,
    measure_at: Instant,
    /// When something was last noted of an endpoint.
    noted: HashMap<EndpointId, Instant>,
    tasks: JoinSet<()>,
    /// Each attempt is an open file; the store and others need some, too (D-0062).
    at_once_max: usize,
    is_stopping: bool,
}

impl Run {
    fn new(
        parts: Arc<Parts>,
        wake: Arc<DeliveryWake>,
        events: mpsc::UnboundedSender<EngineEvent>,
        liveness: Arc<Liveness>,
    ) -> Self {
        Self {
            clock: MonotonicClock::starting_at(parts.stamps.now()),
            parts,
            wake,
            events,
            liveness,
            sender: ids::sender(),
            holding: BucketLeases::new(),
            lanes: Lanes::default(),
            found: HashMap::new(),
            unread: Vec::new(),
            reads: 0,
            refreshing: None,
            addresses: Addresses::default(),
            mark: ScanMark::default(),
            look_at: Instant::now(),
            look_at_all_at: Instant::now() + LOOK_AT_ALL_EVERY,
            refresh_at: Instant::now(),
            measure_at: Instant::now(),
            noted: HashMap::new(),
            tasks: JoinSet::new(),
            at_once_max: (open_files::allowed() / 8).min(limits::ATTEMPTS_AT_ONCE_MAX),
            is_stopping: false,
        }
    }

    async fn run(mut self, incoming: &mut mpsc::UnboundedReceiver<EngineEvent>) {
        while !(self.is_stopping && self.lanes.running().next().is_none()) {
            self.liveness.turned();
            self.ask_for_buckets();
            self.look_if_due().await;
            self.measure();
            self.start_all();
            self.read();
            self.wait(incoming).await;
            while let Ok(event) = incoming.try_recv() {
                self.handle(event).await;
            }
            while self.tasks.try_join_next().is_some() {}
        }
        self.parts.ours.set(Vec::new(), None);
        if let Err(error) = self.parts.store.give_up_buckets(&self.sender).await {
            tracing::debug!("buckets could not be given up: {}", chain(&error));
        }
    }

    /// Waits until something happens, is due, or it is time to look.
    async fn wait(&mut self, incoming: &mut mpsc::UnboundedReceiver<EngineEvent>) {
        let wake = self.wake.clone();
        let happens = async {
            tokio::select! {
                biased;
                event = incoming.recv() => event,
                () = wake.woken() => None,
            }
        };
        match tokio::time::timeout(self.until_next(), happens).await {
            Ok(Some(event)) => self.handle(event).await,
            Ok(None) => self.look_at = Instant::now(),
            Err(_) => {}
        }
    }

    fn until_next(&self) -> Duration {
        let now = Instant::now();
        let asks_at = self.holding.ask_at().unwrap_or(now + LOOK_EVERY);
        let pause = self.look_at.min(asks_at).saturating_duration_since(now);
        let due = self.lanes.wake_at().map(|at| at.0.saturating_sub(self.clock.now().0).max(0));
        due.map_or(pause, |us| Duration::from_micros(us as u64).min(pause))
    }

    fn ask_for_buckets(&mut self) {
        let is_under_way =
            |bucket: i64| self.lanes.running().any(|waiting| waiting.lane.lane.bucket() == bucket);
        let Some(given) = self.holding.ask(Instant::now(), is_under_way) else { return };
        let (parts, events, sender) =
            (self.parts.clone(), self.events.clone(), self.sender.clone());
        self.tasks.spawn(async move {
            let asked = Instant::now();
            let held = parts.store.hold_buckets(&sender, &given).await;
            let _ = events.send(EngineEvent::PostponedScope(asked, held));
        });
    }

    async fn look_if_due(&mut self) {
        let now = Instant::now();
        if self.look_at > now {
            return;
        }
        if self.is_stopping || !self.holding.is_held(now) {
            self.look_at = now + STORE_PAUSE;
            return;
        }
        let looked = self.look().await;
        self.look_at = Instant::now() + self.noted(looked);
    }

    /// Says what went wrong, if it did; gives the pause until the next look.
    fn noted(&self, looked: Result<(), StoreError>) -> Duration {
        match looked {
            Ok(()) => {
                self.liveness.looked();
                LOOK_EVERY
            }
            Err(error) => {
                tracing::warn!("deliveries cannot be read: {}", chain(&error));
                STORE_PAUSE
            }
        }
    }

    /// Takes in what was committed since the last look.
    async fn look(&mut self) -> Result<(), StoreError> {
        if self.look_at_all_at <= Instant::now() {
            self.look_at_all_at = Instant::now() + LOOK_AT_ALL_EVERY;
            self.mark = ScanMark::default();
        }
        let buckets = self.holding.buckets();
        let found = self.parts.store.waiting_deliveries(&buckets, self.mark).await?;
        // Only now: whatever was found was committed after what changed before it.
        let changed = self.wake.take_changed();
        changed.iter().for_each(|app| self.addresses.outdate(*app));
        self.take_in(found.deliveries).await?;
        self.found = found.whole.into_iter().map(|delivery| (delivery.id, delivery)).collect();
        self.mark = found.mark;
        for app in changed {
            if self.addresses.is_outdated(app) {
                self.learn_endpoints(app).await?;
            }
        }
        self.refresh_endpoints();
        Ok(())
    }

    async fn take_in(&mut self, deliveries: Vec<Pending>) -> Result<(), StoreError> {
        for pending in deliveries {
            if !self.holding.has(pending.lane) {
                continue;
            }
            let Pending { app, endpoint, .. } = pending;
            if !self.addresses.is_fresh(app) || !self.addresses.knows(app, endpoint) {
                self.learn_endpoints(app).await?;
                self.addresses.looked_for(app, endpoint);
            }
            let behind_us = self.clock.ahead_us(self.parts.stamps.now());
            self.lanes.add(waiting(&pending, self.clock.now(), behind_us));
        }
        Ok(())
    }

    /// Endpoints may have been paused or let go on, here or by another node. Looked at beside the
    /// engine: those that nobody answers at would delay those that somebody does.
    fn refresh_endpoints(&mut self) {
        let now = Instant::now();
        let is_refreshing = self.refreshing.as_ref().is_some_and(|it| !it.is_finished());
        if is_refreshing || self.refresh_at > now {
            return;
        }
        self.refresh_at = now + LOOK_EVERY;
        let apps = self.lanes.apps().into_iter();
        let stale: Vec<_> = apps.filter(|app| !self.addresses.is_fresh(*app)).collect();
        if stale.is_empty() {
            return;
        }
        let (parts, events) = (self.parts.clone(), self.events.clone());
        self.refreshing = Some(self.tasks.spawn(async move {
            let mut learnt = Vec::new();
            for app in stale.into_iter().take(REFRESHED_MAX) {
                match AddressCache::read(&parts.store, app).await {
                    Ok(known) => learnt.push((app, known)),
                    Err(error) => tracing::warn!("endpoints cannot be read: {}", chain(&error)),
                }
                tokio::task::yield_now().await;
            }
            let _ = events.send(EngineEvent::Learnt(learnt));
        }));
    }

    async fn learn_endpoints(&mut self, app: AppId) -> Result<(), StoreError> {
        let known = AddressCache::read(&self.parts.store, app).await?;
        self.learnt(app, known);
        Ok(())
    }

    fn learnt(&mut self, app: AppId, known: AddressCache) {
        let mut gone = self.addresses.known(app);
        let Some(endpoints) = self.addresses.learn(app, known) else { return };
        for endpoint in endpoints {
            gone.remove(&endpoint.id);
            self.lanes.allow(endpoint.id, Allowed::by(endpoint));
            self.lanes.call_at(endpoint.id, &endpoint.url, self.clock.now());
        }
        // What waits for an endpoint that was deleted, paused or failing, is given up (D-0138).
        for endpoint in gone {
            self.lanes.allow(endpoint, Allowed::default());
            self.lanes.call_at(endpoint, "", self.clock.now());
        }
    }

    fn start_all(&mut self) {
        // True at this moment only: whatever cannot start now is read again.
        let mut found = std::mem::take(&mut self.found);
        if self.is_stopping || !self.holding.is_held(Instant::now()) {
            return;
        }
        let mut read = Vec::new();
        while self.lanes.places_taken() < self.at_once_max {
            let is_crowded = self.lanes.places_taken() >= self.at_once_max / 2;
            let Some(waiting) = self.lanes.start(self.clock.now(), is_crowded) else { break };
            let task = self.task(waiting);
            match found.remove(&waiting.id).filter(|_| waiting.attempts == 0) {
                Some(delivery) => read.push((task, delivery)),
                None => self.unread.push(task),
            }
        }
        self.send_all(read);
    }

    fn task(&self, waiting: PendingDelivery) -> Task {
        let endpoint = waiting.lane.endpoint;
        Task {
            addressee: self.addresses.of(waiting.app, endpoint),
            allowed: self.lanes.allowed(endpoint),
            is_after_gap: self.lanes.is_after_gap(&waiting),
            waiting,
        }
    }

    /// Has what starts read from the store, to be sent then.
    fn read(&mut self) {
        while self.reads < READS_AT_ONCE && !self.unread.is_empty() {
            let tasks = self.unread.drain(..self.unread.len().min(READ_MAX)).collect();
            let (parts, events) = (self.parts.clone(), self.events.clone());
            self.reads += 1;
            self.tasks.spawn(async move {
                let _ = events.send(EngineEvent::ReadTogether(parts.read(tasks).await));
            });
        }
    }

    /// One that cannot be read holds up no other.
    fn read_alone(&mut self, task: Task) {
        let (parts, events) = (self.parts.clone(), self.events.clone());
        self.tasks.spawn(async move {
            let _ = events.send(EngineEvent::ReadAlone(parts.read_alone(task).await));
        });
    }

    async fn handle(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::Stop => self.is_stopping = true,
            EngineEvent::PostponedScope(asked, held) => self.held(asked, held).await,
            EngineEvent::ReadTogether(reading) => {
                self.reads = self.reads.saturating_sub(1);
                match reading {
                    Ok(reading) => self.was_read(reading),
                    Err(tasks) => tasks.into_iter().for_each(|task| self.read_alone(task)),
                }
            }
            EngineEvent::ReadAlone(reading) => self.was_read(reading),
            EngineEvent::Learnt(learnt) => {
                learnt.into_iter().for_each(|(app, known)| self.learnt(app, known));
            }
            EngineEvent::Aside(id) => self.lanes.step_aside(id),
            EngineEvent::Ended(ended) => self.ended(ended),
        }
    }

    fn was_read(&mut self, Reading { read, gone }: Reading) {
        gone.into_iter().for_each(|id| self.lanes.forget(id));
        self.send_all(read);
    }

    fn send_all(&mut self, read: Vec<(Task, Delivery)>) {
        for (task, delivery, turn) in line_up(read) {
            match self.is_stopping {
                true => self.lanes.forget(delivery.id),
                false => self.send(task, delivery, turn),
            }
        }
    }

    fn send(&mut self, task: Task, delivery: Delivery, turn: CauseTurn) {
        let (parts, events, clock) = (self.parts.clone(), self.events.clone(), self.clock);
        let (told, id) = (self.events.clone(), delivery.id);
        let aside = YieldSlot::telling(move || drop(told.send(EngineEvent::Aside(id))));
        self.tasks.spawn(async move {
            let ended = parts.attempt(task, delivery, turn, clock, aside).await;
            // If the engine stopped, the next one goes on from what is written down.
            let _ = events.send(EngineEvent::Ended(ended));
        });
    }

    fn ended(&mut self, ended: Ended) {
        let Ended { id, outcome, judged, at, .. } = ended;
        let turn = self.lanes.finished(id, outcome, judged, at).and_then(|finished| finished.turn);
        let sign = health::sign(&ended, turn);
        let Some(addressee) = ended.addressee else { return };
        let endpoint = &addressee.endpoint;
        // What is known of the endpoint may be a moment old, and would have each attempt say the
        // same.
        let is_said = self.noted.get(&endpoint.id).is_some_and(|at| at.elapsed() < NOTED_EVERY);
        if !is_said && health::changes_something(endpoint, sign, self.parts.stamps.now()) {
            self.noted.insert(endpoint.id, Instant::now());
            let (parts, wake) = (self.parts.clone(), self.wake.clone());
            self.tasks.spawn(async move {
                parts.note(addressee, sign).await;
                // Its owner may have been told.
                wake.wake();
            });
        }
    }

    /// Buckets came or went.
    async fn held(&mut self, asked: Instant, held: Result<LeasedBuckets, StoreError>) {
        let held = match held {
            Ok(held) => held,
            Err(error) => {
                tracing::warn!("it is not known which deliveries are ours: {}", chain(&error));
                return self.holding.failed(Instant::now());
            }
        };
        let turnover = self.holding.answered(asked, &held);
        self.parts.ours.set(self.holding.buckets(), self.holding.until());
        if turnover.has_lost {
            self.lanes.keep_only(|lane| self.holding.has(lane));
        }
        if !turnover.gained.is_empty() {
            // Whatever waits in them is new to us.
            let found = self.parts.store.waiting_deliveries(&turnover.gained, ScanMark::default());
            let taken = match found.await {
                Ok(found) => self.take_in(found.deliveries).await,
                Err(error) => Err(error),
            };
            if self.noted(taken) == STORE_PAUSE {
                // The next look finds everything.
                self.mark = ScanMark::default();
            }
        }
    }

    fn measure(&mut self) {
        let now = Instant::now();
        if self.measure_at > now {
            return;
        }
        self.measure_at = now + MEASURE_EVERY;
        let (standing, now) = (self.lanes.standing(), self.clock.now());
        let takes_us = standing.started.map_or(0, |started| now.0.saturating_sub(started.0));
        self.liveness.measured(standing, now, takes_us > ENDS_WITHIN_US);
    }
}

/// A delivery as the lanes know it. What was never tried is due at once: the clock may have been
/// set since it was made. If the wall's clock is behind ours, it is younger than it seems: it must
/// not expire for that.
fn waiting(pending: &Pending, now: Timestamp, behind_us: i64) -> PendingDelivery {
    let Pending { id, app, endpoint, lane, sequence, progress, .. } = *pending;
    let (since, latest) = match progress.tries {
        // In whole minutes, so that it is the same again when the delivery is found again.
        0 => (Timestamp(progress.since.0 + behind_us / MINUTE_US * MINUTE_US), now),
        _ => (progress.since, Timestamp(now.0 + WAIT_MAX_US)),
    };
    PendingDelivery {
        id,
        app,
        lane: LaneKey { endpoint, lane },
        sequence,
        since,
        attempts: progress.attempts,
        tries: progress.tries,
        due_at: progress.due_at.min(latest),
        failed_at: progress.failed_at,
        is_parked: progress.standing == DeliveryState::Parked,
    }
}

#[cfg(test)]
mod tests;
