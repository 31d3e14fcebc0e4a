//! The delivery engine: attempts each delivery in the store until it is delivered or given up.
//!
//! One task owns the [`Lanes`]. It adds new deliveries, starts attempts, and then waits for a wake
//! after a commit, the end of an attempt, or the time of the next one. A delivery that starts in
//! the iteration that found it is sent without another read. All others are read again when they
//! start, so that a backlog uses no memory for bodies. The result of an attempt is committed before
//! its lane continues: after a crash, running attempts are repeated and recorded ones are not.
//! Endpoints are refreshed in a separate task, so that many endpoints do not delay deliveries.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Delivery, DeliveryHead, DeliveryState};
use confab_runtime::failures::chain;
use confab_runtime::ids;
use confab_runtime::process::open_files;
use confab_runtime::process::panics::caught;
use confab_runtime::supervisor::Supervisor;
use confab_store::{LeasedBuckets, ScanMark, StoreError};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::addresses::{AddressCache, Addresses};
use super::attempting::{AttemptOutcome, Parts, ReadDeliveries};
use super::bucket_leases::BucketLeases;
use super::cause_order::{CauseTurn, line_up};
use super::health;
use super::lanes::{EndpointLimits, LaneKey, Lanes, PendingDelivery};
use super::liveness::Liveness;
use super::monotonic_clock::MonotonicClock;
use super::wake::DeliveryWake;
use crate::task::{Task, YieldSlot};

/// Maximum time between two polls for new deliveries.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of scans for all waiting deliveries. They find deliveries that polls missed, because
/// transaction numbers start again when a database is restored or fails over.
const FULL_SCAN_INTERVAL: Duration = Duration::from_secs(300);
/// Delay before the store is polled again after an error.
const STORE_PAUSE: Duration = Duration::from_millis(500);
/// Interval of metric updates.
const MEASURE_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of deliveries per query. Deliveries that become due while [`READS_AT_ONCE`]
/// queries are running are collected for the next one.
const READ_MAX: usize = 256;
const READS_AT_ONCE: usize = 2;
/// Maximum number of apps whose endpoints one refresh task reads.
const REFRESHED_MAX: usize = 100;
const MINUTE_US: i64 = 60 * 1_000_000;
/// Minimum time between two health records of the same endpoint.
const HEALTH_INTERVAL: Duration = Duration::from_secs(2);
/// Duration in microseconds after which a running attempt counts as stuck. Its request times out
/// after at most a minute, and recording its result takes little time.
const ENDS_WITHIN_US: i64 = 120 * 1_000_000;
/// Maximum wait in microseconds until the next attempt, in case the recorded time was computed with
/// a wrong clock.
const WAIT_MAX_US: i64 = 24 * 3600 * 1_000_000;

/// Handle of a running delivery engine.
pub struct DeliveryEngine {
    stop: mpsc::UnboundedSender<EngineEvent>,
    liveness: Arc<Liveness>,
    task: tokio::task::JoinHandle<()>,
}

enum EngineEvent {
    /// Result of a query for several deliveries. If it failed, contains the tasks to read one by
    /// one.
    ReadTogether(Result<ReadDeliveries, Vec<Task>>),
    ReadAlone(ReadDeliveries),
    /// Apps with their endpoints, as read by the refresh task.
    AppsRead(Vec<(AppId, AddressCache)>),
    /// An attempt that waits for a third party and yields its slot.
    SlotYielded(DeliveryId),
    /// An attempt that has ended and is recorded.
    Ended(AttemptOutcome),
    /// Start time and result of a lease renewal.
    BucketsLeased(Instant, Result<LeasedBuckets, StoreError>),
    /// Request to start no further attempts.
    Stop,
}

impl DeliveryEngine {
    /// Starts the engine. `wake` makes it poll the store immediately.
    pub fn start(parts: Parts, wake: Arc<DeliveryWake>, supervisor: Supervisor) -> Self {
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
                supervisor.ended("delivering").await;
                // Restart as after a crash: the store has all unfinished deliveries.
                while let Ok(event) = incoming.try_recv() {
                    is_stopping |= matches!(event, EngineEvent::Stop);
                }
            }
        });
        Self { stop, liveness, task }
    }

    /// Returns the engine's liveness, for `/ready`.
    pub fn liveness(&self) -> Arc<Liveness> {
        self.liveness.clone()
    }

    /// Stops starting attempts and waits for running ones until the grace period ends. Attempts
    /// that are aborted then are repeated after the next start.
    pub async fn stop(self, grace: Duration) {
        let Self { stop, mut task, .. } = self;
        let _ = stop.send(EngineEvent::Stop);
        if tokio::time::timeout(grace, &mut task).await.is_err() {
            task.abort();
            // Wait until the task has ended.
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
    /// Name by which this node leases buckets.
    sender: String,
    leases: BucketLeases,
    lanes: Lanes,
    /// Bodies of new deliveries found by the last poll, for attempts that start in this iteration.
    found: HashMap<DeliveryId, Delivery>,
    /// Deliveries to attempt that must be read from the store first. `reads` is the number of
    /// running queries.
    unread: Vec<Task>,
    reads: usize,
    addresses: Addresses,
    /// The running task that refreshes endpoints, if there is one.
    refreshing: Option<AbortHandle>,
    /// Position in the store up to which deliveries have been found.
    mark: ScanMark,
    poll_at: Instant,
    full_scan_at: Instant,
    refresh_at: Instant,
    measure_at: Instant,
    /// Time of the last health record, by endpoint.
    health_recorded: HashMap<EndpointId, Instant>,
    tasks: JoinSet<()>,
    /// Maximum number of concurrent attempts. Each uses a file descriptor, and other parts of the
    /// server need some, too.
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
            leases: BucketLeases::new(),
            lanes: Lanes::default(),
            found: HashMap::new(),
            unread: Vec::new(),
            reads: 0,
            refreshing: None,
            addresses: Addresses::default(),
            mark: ScanMark::default(),
            poll_at: Instant::now(),
            full_scan_at: Instant::now() + FULL_SCAN_INTERVAL,
            refresh_at: Instant::now(),
            measure_at: Instant::now(),
            health_recorded: HashMap::new(),
            tasks: JoinSet::new(),
            at_once_max: (open_files::allowed() / 8).min(limits::ATTEMPTS_AT_ONCE_MAX),
            is_stopping: false,
        }
    }

    async fn run(mut self, incoming: &mut mpsc::UnboundedReceiver<EngineEvent>) {
        while !(self.is_stopping && self.lanes.running().next().is_none()) {
            self.liveness.turned();
            self.request_buckets();
            self.poll_if_due().await;
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
            tracing::debug!(error = %chain(&error), "failed to release bucket leases");
        }
    }

    /// Waits for an event, a wake, the next due delivery or the next poll.
    async fn wait(&mut self, incoming: &mut mpsc::UnboundedReceiver<EngineEvent>) {
        let wake = self.wake.clone();
        let event = async {
            tokio::select! {
                biased;
                event = incoming.recv() => event,
                () = wake.woken() => None,
            }
        };
        match tokio::time::timeout(self.until_next(), event).await {
            Ok(Some(event)) => self.handle(event).await,
            Ok(None) => self.poll_at = Instant::now(),
            Err(_) => {}
        }
    }

    fn until_next(&self) -> Duration {
        let now = Instant::now();
        let asks_at = self.leases.renew_at().unwrap_or(now + POLL_INTERVAL);
        let pause = self.poll_at.min(asks_at).saturating_duration_since(now);
        let due = self.lanes.wake_at().map(|at| at.0.saturating_sub(self.clock.now().0).max(0));
        due.map_or(pause, |us| Duration::from_micros(us as u64).min(pause))
    }

    fn request_buckets(&mut self) {
        let is_running =
            |bucket: i64| self.lanes.running().any(|waiting| waiting.lane.lane.bucket() == bucket);
        let Some(given) = self.leases.start_renewal(Instant::now(), is_running) else { return };
        let (parts, events, sender) =
            (self.parts.clone(), self.events.clone(), self.sender.clone());
        self.tasks.spawn(async move {
            let asked = Instant::now();
            let held = parts.store.hold_buckets(&sender, &given).await;
            let _ = events.send(EngineEvent::BucketsLeased(asked, held));
        });
    }

    async fn poll_if_due(&mut self) {
        let now = Instant::now();
        if self.poll_at > now {
            return;
        }
        if self.is_stopping || !self.leases.is_valid(now) {
            self.poll_at = now + STORE_PAUSE;
            return;
        }
        let polled = self.poll().await;
        self.poll_at = Instant::now() + self.log_poll(polled);
    }

    /// Logs a failed poll and returns the delay until the next one.
    fn log_poll(&self, polled: Result<(), StoreError>) -> Duration {
        match polled {
            Ok(()) => {
                self.liveness.polled();
                POLL_INTERVAL
            }
            Err(error) => {
                tracing::warn!(error = %chain(&error), "failed to read waiting deliveries");
                STORE_PAUSE
            }
        }
    }

    /// Adds the deliveries that were committed since the last poll.
    async fn poll(&mut self) -> Result<(), StoreError> {
        if self.full_scan_at <= Instant::now() {
            self.full_scan_at = Instant::now() + FULL_SCAN_INTERVAL;
            self.mark = ScanMark::default();
        }
        let buckets = self.leases.buckets();
        let found = self.parts.store.waiting_deliveries(&buckets, self.mark).await?;
        // Take these after the scan: each found delivery was committed after the changes before it.
        let changed = self.wake.take_changed();
        changed.iter().for_each(|app| self.addresses.invalidate(*app));
        self.add_pending(found.deliveries).await?;
        self.found = found.whole.into_iter().map(|delivery| (delivery.id, delivery)).collect();
        self.mark = found.mark;
        for app in changed {
            if self.addresses.is_invalidated(app) {
                self.read_app(app).await?;
            }
        }
        self.refresh_endpoints();
        Ok(())
    }

    async fn add_pending(&mut self, deliveries: Vec<DeliveryHead>) -> Result<(), StoreError> {
        for pending in deliveries {
            if !self.leases.has(pending.lane) {
                continue;
            }
            let DeliveryHead { app, endpoint, .. } = pending;
            if !self.addresses.is_fresh(app) || !self.addresses.is_resolved(app, endpoint) {
                self.read_app(app).await?;
                self.addresses.mark_missing(app, endpoint);
            }
            let behind_us = self.clock.ahead_us(self.parts.stamps.now());
            self.lanes.add(waiting(&pending, self.clock.now(), behind_us));
        }
        Ok(())
    }

    /// Reads the endpoints of apps with waiting deliveries again, because they may have been paused
    /// or resumed by any node. Runs as a separate task, so that slow reads do not delay deliveries.
    fn refresh_endpoints(&mut self) {
        let now = Instant::now();
        let is_refreshing = self.refreshing.as_ref().is_some_and(|it| !it.is_finished());
        if is_refreshing || self.refresh_at > now {
            return;
        }
        self.refresh_at = now + POLL_INTERVAL;
        let apps = self.lanes.apps().into_iter();
        let stale: Vec<_> = apps.filter(|app| !self.addresses.is_fresh(*app)).collect();
        if stale.is_empty() {
            return;
        }
        let (parts, events) = (self.parts.clone(), self.events.clone());
        self.refreshing = Some(self.tasks.spawn(async move {
            let mut read = Vec::new();
            for app in stale.into_iter().take(REFRESHED_MAX) {
                match AddressCache::read(&parts.store, app).await {
                    Ok(known) => read.push((app, known)),
                    Err(error) => tracing::warn!(
                        app.id = app.0,
                        error = %chain(&error),
                        "failed to refresh endpoints"
                    ),
                }
                tokio::task::yield_now().await;
            }
            let _ = events.send(EngineEvent::AppsRead(read));
        }));
    }

    async fn read_app(&mut self, app: AppId) -> Result<(), StoreError> {
        let known = AddressCache::read(&self.parts.store, app).await?;
        self.update_app(app, known);
        Ok(())
    }

    fn update_app(&mut self, app: AppId, known: AddressCache) {
        let mut gone = self.addresses.endpoint_ids(app);
        let Some(endpoints) = self.addresses.update(app, known) else { return };
        for endpoint in endpoints {
            gone.remove(&endpoint.id);
            self.lanes.allow(endpoint.id, EndpointLimits::by(endpoint));
            self.lanes.call_at(endpoint.id, &endpoint.url, self.clock.now());
        }
        // Deliveries of a deleted endpoint that is paused or failing are given up.
        for endpoint in gone {
            self.lanes.allow(endpoint, EndpointLimits::default());
            self.lanes.call_at(endpoint, "", self.clock.now());
        }
    }

    fn start_all(&mut self) {
        // The bodies are valid in this iteration only; deliveries that start later are read again.
        let mut found = std::mem::take(&mut self.found);
        if self.is_stopping || !self.leases.is_valid(Instant::now()) {
            return;
        }
        let mut read = Vec::new();
        while self.lanes.used_slots() < self.at_once_max {
            let is_crowded = self.lanes.used_slots() >= self.at_once_max / 2;
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

    /// Spawns queries for the deliveries that are about to be attempted.
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

    /// Reads one delivery in a separate task, so that a delivery that cannot be read blocks no
    /// other.
    fn read_alone(&mut self, task: Task) {
        let (parts, events) = (self.parts.clone(), self.events.clone());
        self.tasks.spawn(async move {
            let _ = events.send(EngineEvent::ReadAlone(parts.read_alone(task).await));
        });
    }

    async fn handle(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::Stop => self.is_stopping = true,
            EngineEvent::BucketsLeased(asked, held) => self.buckets_leased(asked, held).await,
            EngineEvent::ReadTogether(reading) => {
                self.reads = self.reads.saturating_sub(1);
                match reading {
                    Ok(reading) => self.send_read(reading),
                    Err(tasks) => tasks.into_iter().for_each(|task| self.read_alone(task)),
                }
            }
            EngineEvent::ReadAlone(reading) => self.send_read(reading),
            EngineEvent::AppsRead(read) => {
                read.into_iter().for_each(|(app, known)| self.update_app(app, known));
            }
            EngineEvent::SlotYielded(id) => self.lanes.yield_slot(id),
            EngineEvent::Ended(ended) => self.ended(ended),
        }
    }

    fn send_read(&mut self, ReadDeliveries { read, gone }: ReadDeliveries) {
        gone.into_iter().for_each(|id| self.lanes.remove(id));
        self.send_all(read);
    }

    fn send_all(&mut self, read: Vec<(Task, Delivery)>) {
        for (task, delivery, turn) in line_up(read) {
            match self.is_stopping {
                true => self.lanes.remove(delivery.id),
                false => self.send(task, delivery, turn),
            }
        }
    }

    fn send(&mut self, task: Task, delivery: Delivery, turn: CauseTurn) {
        let (parts, events, clock) = (self.parts.clone(), self.events.clone(), self.clock);
        let (sender, id) = (self.events.clone(), delivery.id);
        let yield_slot = YieldSlot::new(move || drop(sender.send(EngineEvent::SlotYielded(id))));
        self.tasks.spawn(async move {
            let ended = parts.attempt(task, delivery, turn, clock, yield_slot).await;
            // If the engine has stopped, the next one continues from the recorded state.
            let _ = events.send(EngineEvent::Ended(ended));
        });
    }

    fn ended(&mut self, ended: AttemptOutcome) {
        let AttemptOutcome { id, outcome, judged, at, .. } = ended;
        let turn = self.lanes.finished(id, outcome, judged, at).and_then(|finished| finished.turn);
        let sign = health::sign(&ended, turn);
        let Some(addressee) = ended.addressee else { return };
        let endpoint = &addressee.endpoint;
        // The cached endpoint may be slightly outdated, so that each attempt would record the same
        // change again.
        let is_recent =
            self.health_recorded.get(&endpoint.id).is_some_and(|at| at.elapsed() < HEALTH_INTERVAL);
        if !is_recent && health::changes_something(endpoint, sign, self.parts.stamps.now()) {
            self.health_recorded.insert(endpoint.id, Instant::now());
            let (parts, wake) = (self.parts.clone(), self.wake.clone());
            self.tasks.spawn(async move {
                parts.record_health(addressee, sign).await;
                // The change may have created a delivery that notifies the endpoint's owner.
                wake.wake();
            });
        }
    }

    /// Applies the result of a lease renewal: adds the deliveries of gained buckets and removes
    /// those of lost ones.
    async fn buckets_leased(&mut self, asked: Instant, held: Result<LeasedBuckets, StoreError>) {
        let held = match held {
            Ok(held) => held,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "failed to renew bucket leases");
                return self.leases.failed(Instant::now());
            }
        };
        let turnover = self.leases.renewed(asked, &held);
        self.parts.ours.set(self.leases.buckets(), self.leases.until());
        if turnover.has_lost {
            self.lanes.keep_only(|lane| self.leases.has(lane));
        }
        if !turnover.gained.is_empty() {
            // All waiting deliveries of gained buckets are new to this node.
            let found = self.parts.store.waiting_deliveries(&turnover.gained, ScanMark::default());
            let taken = match found.await {
                Ok(found) => self.add_pending(found.deliveries).await,
                Err(error) => Err(error),
            };
            if self.log_poll(taken) == STORE_PAUSE {
                // The next poll scans all waiting deliveries.
                self.mark = ScanMark::default();
            }
        }
    }

    fn measure(&mut self) {
        let now = Instant::now();
        if self.measure_at > now {
            return;
        }
        self.measure_at = now + MEASURE_INTERVAL;
        let (standing, now) = (self.lanes.standing(), self.clock.now());
        let takes_us = standing.started.map_or(0, |started| now.0.saturating_sub(started.0));
        self.liveness.measured(standing, now, takes_us > ENDS_WITHIN_US);
    }
}

/// Converts a stored delivery for [`Lanes`]. A delivery that was never attempted is due
/// immediately, because the system clock may have been changed since its creation. If the system
/// clock is behind the monotonic clock by `behind_us`, its creation time is moved forward, so that
/// the delivery does not expire early.
fn waiting(pending: &DeliveryHead, now: Timestamp, behind_us: i64) -> PendingDelivery {
    let DeliveryHead { id, app, endpoint, lane, sequence, progress, .. } = *pending;
    let (since, latest) = match progress.tries {
        // Whole minutes give the same result each time the delivery is read.
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
