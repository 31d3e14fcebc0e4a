//! The delivery scheduler: first in, first out within a lane, lanes in parallel.
//!
//! [`Lanes`] is a plain value without clock, I/O or randomness. The delivery engine reports new
//! deliveries ([`Lanes::add`]) and finished attempts ([`Lanes::finished`]), and asks for the next
//! delivery to attempt ([`Lanes::start`]) and for the time to ask again ([`Lanes::wake_at`]).
//! Guarantees:
//!
//! - At most one delivery of a lane is running. It is the oldest one that is not parked.
//! - An endpoint never exceeds its limits on concurrent attempts and on starts per second. A new
//!   endpoint starts with several concurrent attempts, so that one hanging request does not block
//!   its other lanes. Concurrency drops to one while the circuit breaker is open, and for endpoints
//!   that have never answered while the engine is crowded.
//! - Adding a delivery twice has no effect.
//! - A pause requested by an endpoint is respected and does not count as a failure. A lane does not
//!   exceed the provider's rate limit per customer.
//! - A failing lane blocks no other lane, and blocks itself only until its head is parked.
//! - Lanes of one endpoint take turns.
//! - A delivery that yielded its slot while it waits for a third party blocks its lane only.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use confab_domain::channels::connecting_providers::per_second_to_customer;
use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{DeliveryState, Lane, Progress};
use confab_domain::webhooks::endpoint::DeliveryPolicy;
use confab_domain::webhooks::retry_schedule::{
    AttemptCount, CircuitBreaker, HealthTransition, Jitter, NextStep, Outcome, PostponedScope,
    RetrySchedule, lets_others_pass, next,
};

use super::pace::Pace;

/// Number of rate limiters in `lane_paces` above which idle ones are removed.
const LANE_PACES_MAX: usize = 10_000;

/// Key of the deliveries that stay in order: those of one room or person to one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LaneKey {
    pub(crate) endpoint: EndpointId,
    pub(crate) lane: Lane,
}

/// A delivery that is not finished, without its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingDelivery {
    pub(crate) id: DeliveryId,
    pub(crate) app: AppId,
    pub(crate) lane: LaneKey,
    /// Sequence number by which the lane is ordered.
    pub(crate) sequence: u64,
    /// Start of the current retry schedule: creation, or the last replay.
    pub(crate) since: Timestamp,
    /// Number of attempts since creation.
    pub(crate) attempts: u32,
    /// Number of attempts of the current retry schedule, without postponed ones.
    pub(crate) tries: u32,
    /// Earliest time of the next attempt.
    pub(crate) due_at: Timestamp,
    /// Time of the first failed attempt.
    pub(crate) failed_at: Option<Timestamp>,
    /// Whether the delivery was parked, so that it no longer blocks its lane.
    pub(crate) is_parked: bool,
}

/// Delivery limits and retry schedule of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndpointLimits {
    pub(crate) at_once_max: u32,
    pub(crate) per_second_max: Option<u32>,
    /// Maximum number of attempts started per second in one lane.
    pub(crate) lane_per_second_max: Option<u32>,
    /// Seconds for which a failing delivery blocks its lane before it is parked.
    pub(crate) block_s: u64,
    pub(crate) plan: RetrySchedule,
    pub(crate) is_paused: bool,
}

impl EndpointLimits {
    pub(crate) fn by(endpoint: &confab_domain::webhooks::endpoint::Endpoint) -> Self {
        let DeliveryPolicy { at_once_max, per_second_max, block_s, .. } = endpoint.policy;
        Self {
            at_once_max,
            per_second_max,
            lane_per_second_max: per_second_to_customer(endpoint),
            block_s: u64::from(block_s),
            plan: RetrySchedule::of(endpoint.kind),
            is_paused: endpoint.is_paused,
        }
    }
}

impl Default for EndpointLimits {
    fn default() -> Self {
        Self {
            at_once_max: 64,
            per_second_max: None,
            lane_per_second_max: None,
            block_s: 900,
            plan: RetrySchedule::default(),
            is_paused: false,
        }
    }
}

/// The effect of an attempt on its delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttemptVerdict {
    pub(crate) next: NextStep,
    pub(crate) progress: Progress,
}

/// Result of [`Lanes::finished`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FinishedAttempt {
    /// Whether this attempt parked the delivery, so that its lane continues without it.
    pub(crate) is_parked: bool,
    /// Change in the endpoint's health, if the attempt caused one.
    pub(crate) turn: Option<HealthTransition>,
}

/// Counts for metrics and the liveness check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LaneCounts {
    pub(crate) waiting: usize,
    pub(crate) parked: usize,
    pub(crate) running: usize,
    pub(crate) open_breakers: usize,
    /// Earliest start of a retry schedule among all unfinished deliveries.
    pub(crate) oldest: Option<Timestamp>,
    /// Earliest start of a running attempt, without those that yielded their slot.
    pub(crate) started: Option<Timestamp>,
}

/// The lanes of all endpoints.
#[derive(Default)]
pub(crate) struct Lanes {
    endpoints: HashMap<EndpointId, LaneEndpoint>,
    /// Running deliveries, with the start of the attempt.
    running: HashMap<DeliveryId, (PendingDelivery, Timestamp)>,
    /// Running deliveries that yielded their slot.
    yielded: HashSet<DeliveryId>,
    /// Queued and parked deliveries, with the start of their retry schedules.
    waiting: HashMap<DeliveryId, Timestamp>,
    /// Endpoints that may have a delivery to start, in round-robin order.
    ready: VecDeque<EndpointId>,
    /// Times at which endpoints become ready again.
    wakes: BTreeSet<(Timestamp, EndpointId)>,
}

#[derive(Default)]
struct LaneEndpoint {
    allowed: Arc<EndpointLimits>,
    url: Option<String>,
    /// Time of the last change of `url`.
    moved_at: Option<Timestamp>,
    breaker: CircuitBreaker,
    pace: Pace,
    /// Rate limiters of lanes, if `lane_per_second_max` is set.
    lane_paces: HashMap<Lane, Pace>,
    /// End of a pause requested by the receiver.
    held_until: Option<Timestamp>,
    /// Adaptive limit on concurrent attempts.
    window: ConcurrencyWindow,
    running: u32,
    lanes: HashMap<Lane, LaneQueue>,
    /// Heads that are due, in round-robin order.
    due: VecDeque<Head>,
    /// Heads that are not yet due.
    later: BTreeSet<(Timestamp, Head)>,
    parked: HashMap<DeliveryId, PendingDelivery>,
    /// Sequence numbers of parked deliveries, by lane.
    gaps: HashMap<Lane, BTreeSet<u64>>,
    is_ready: bool,
    wake_at: Option<Timestamp>,
}

/// Concurrency limit that doubles with every success and halves with every failure, so that a
/// receiver that hangs occupies only some of its allowed connections.
#[derive(Debug, Clone, Copy)]
struct ConcurrencyWindow {
    size: u32,
    has_answered: bool,
}

impl ConcurrencyWindow {
    /// Initial limit. It is more than one, so that an unanswered first request does not block the
    /// endpoint's other lanes.
    const INITIAL: u32 = 16;
    /// Minimum limit. It is more than one, because a limit of one is reserved for endpoints whose
    /// circuit breaker is open.
    const MIN: u32 = 2;

    /// Returns the current limit. While the engine is crowded, endpoints that have never answered
    /// are limited to one attempt.
    fn limit(self, is_crowded: bool) -> u32 {
        if is_crowded && !self.has_answered { 1 } else { self.size }
    }

    fn succeeded(&mut self, at_once_max: u32) {
        *self = Self { size: (self.size * 2).min(at_once_max), has_answered: true };
    }

    fn failed(&mut self) {
        self.size = (self.size / 2).max(Self::MIN);
    }
}

impl Default for ConcurrencyWindow {
    fn default() -> Self {
        Self { size: Self::INITIAL, has_answered: false }
    }
}

#[derive(Default)]
struct LaneQueue {
    waiting: VecDeque<PendingDelivery>,
    /// Whether a delivery of this lane is running, so that no other may start.
    is_busy: bool,
}

/// A delivery that can start without waiting for another one: the first of a lane, or a parked one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Lane(Lane),
    Parked(DeliveryId),
}

impl Lanes {
    /// Sets the limits of an endpoint.
    pub(crate) fn allow(&mut self, endpoint: EndpointId, allowed: EndpointLimits) {
        let state = self.endpoints.entry(endpoint).or_default();
        if *state.allowed != allowed {
            if state.allowed.is_paused && !allowed.is_paused {
                state.held_until = None;
            }
            state.allowed = Arc::new(allowed);
            self.make_ready(endpoint);
        }
    }

    /// Sets the URL of an endpoint. If it changed, the circuit breaker is reset and the first
    /// delivery of each lane and all parked deliveries become due, because the new address has not
    /// failed yet.
    pub(crate) fn call_at(&mut self, endpoint: EndpointId, url: &str, now: Timestamp) {
        let state = self.endpoints.entry(endpoint).or_default();
        if state.url.as_deref() == Some(url) {
            return;
        }
        if state.url.replace(url.to_owned()).is_some() {
            state.breaker = CircuitBreaker::default();
            state.window = ConcurrencyWindow::default();
            state.moved_at = Some(now);
            state.make_all_due(now);
            self.make_ready(endpoint);
        }
    }

    /// Returns the limits of an endpoint.
    pub(crate) fn allowed(&self, endpoint: EndpointId) -> Arc<EndpointLimits> {
        self.endpoints.get(&endpoint).map_or_else(Arc::default, |state| state.allowed.clone())
    }

    /// Adds a committed or replayed delivery.
    pub(crate) fn add(&mut self, waiting: PendingDelivery) {
        if self.running.contains_key(&waiting.id) {
            return;
        }
        let endpoint = self.endpoints.entry(waiting.lane.endpoint).or_default();
        match self.waiting.insert(waiting.id, waiting.since) {
            Some(since) if since >= waiting.since => return,
            // A replay: the delivery starts its retry schedule again.
            Some(_) => endpoint.remove(&waiting),
            None => {}
        }
        if waiting.is_parked {
            endpoint.park(waiting);
        } else {
            endpoint.enqueue(waiting);
        }
        self.make_ready(waiting.lane.endpoint);
    }

    /// Removes waiting deliveries of lanes for which `is_leased` is false. Running deliveries
    /// continue.
    pub(crate) fn keep_only(&mut self, is_leased: impl Fn(Lane) -> bool) {
        for endpoint in self.endpoints.values_mut() {
            endpoint.lanes.retain(|lane, queue| {
                let is_kept = is_leased(*lane) || queue.is_busy;
                if !is_leased(*lane) {
                    for lost in queue.waiting.drain(..) {
                        self.waiting.remove(&lost.id);
                    }
                }
                is_kept
            });
            let is_lost = |waiting: &&PendingDelivery| !is_leased(waiting.lane.lane);
            let lost: Vec<_> = endpoint.parked.values().filter(is_lost).map(|it| it.id).collect();
            for id in lost {
                endpoint.unpark(id);
                self.waiting.remove(&id);
            }
        }
    }

    pub(crate) fn running(&self) -> impl ExactSizeIterator<Item = &PendingDelivery> {
        self.running.values().map(|(waiting, _)| waiting)
    }

    /// Returns the number of running deliveries that occupy a slot.
    pub(crate) fn used_slots(&self) -> usize {
        self.running.len() - self.yielded.len()
    }

    /// Yields the slot of a running delivery that waits for a third party, so that another delivery
    /// of its endpoint can start. Its lane stays blocked until it finishes.
    pub(crate) fn yield_slot(&mut self, id: DeliveryId) {
        if self.yielded.len() >= limits::ATTEMPTS_ASIDE_MAX {
            return;
        }
        let Some((waiting, _)) = self.running.get(&id) else { return };
        let key = waiting.lane.endpoint;
        let Some(endpoint) = self.endpoints.get_mut(&key) else { return };
        if self.yielded.insert(id) {
            endpoint.running -= 1;
            self.make_ready(key);
        }
    }

    /// Returns the apps that have waiting deliveries.
    pub(crate) fn apps(&self) -> HashSet<AppId> {
        let in_lane = |queue: &LaneQueue| queue.waiting.front().map(|waiting| waiting.app);
        let of_endpoint = |endpoint: &LaneEndpoint| {
            let parked = endpoint.parked.values().next().map(|waiting| waiting.app);
            parked.or_else(|| endpoint.lanes.values().find_map(in_lane))
        };
        self.endpoints.values().filter_map(of_endpoint).collect()
    }

    /// Returns the next delivery to attempt. It counts as running until [`Lanes::finished`] or
    /// [`Lanes::remove`]. `is_crowded` limits endpoints that have never answered to one attempt.
    pub(crate) fn start(&mut self, now: Timestamp, is_crowded: bool) -> Option<PendingDelivery> {
        self.wake(now);
        while let Some(key) = self.ready.pop_front() {
            let Some(endpoint) = self.endpoints.get_mut(&key) else { continue };
            endpoint.is_ready = false;
            match endpoint.start(now, is_crowded) {
                Ok(started) => {
                    self.waiting.remove(&started.id);
                    self.running.insert(started.id, (started, now));
                    self.make_ready(key);
                    return Some(started);
                }
                Err(wake_at) => self.wake_later(key, wake_at),
            }
        }
        None
    }

    /// Returns the next time at which [`Lanes::start`] may find a delivery without another event.
    pub(crate) fn wake_at(&self) -> Option<Timestamp> {
        self.wakes.first().map(|(at, _)| *at)
    }

    pub(crate) fn standing(&self) -> LaneCounts {
        let mut standing = LaneCounts { running: self.running.len(), ..LaneCounts::default() };
        for endpoint in self.endpoints.values() {
            standing.parked += endpoint.parked.len();
            standing.open_breakers += usize::from(endpoint.breaker.next_probe_at().is_some());
            let fronts = endpoint.lanes.values().filter_map(|lane| lane.waiting.front());
            let oldest = fronts.chain(endpoint.parked.values()).map(|it| it.since).min();
            standing.oldest = [standing.oldest, oldest].into_iter().flatten().min();
        }
        let oldest_running = self.running.values().map(|(it, _)| it.since).min();
        let with_slot = self.running.iter().filter(|(id, _)| !self.yielded.contains(*id));
        standing.started = with_slot.map(|(_, (_, started))| *started).min();
        standing.oldest = [standing.oldest, oldest_running].into_iter().flatten().min();
        standing.waiting = self.waiting.len() - standing.parked;
        standing
    }

    /// Whether an earlier delivery of the lane is parked.
    pub(crate) fn is_after_gap(&self, waiting: &PendingDelivery) -> bool {
        let LaneKey { endpoint, lane } = waiting.lane;
        let gaps = self.endpoints.get(&endpoint).and_then(|endpoint| endpoint.gaps.get(&lane));
        gaps.and_then(BTreeSet::first).is_some_and(|first| *first < waiting.sequence)
    }

    /// Records the end of an attempt. Returns `None` if the delivery is not running.
    pub(crate) fn finished(
        &mut self,
        id: DeliveryId,
        outcome: Outcome,
        judged: AttemptVerdict,
        now: Timestamp,
    ) -> Option<FinishedAttempt> {
        let (waiting, started) = self.running.remove(&id)?;
        let key = waiting.lane.endpoint;
        let had_slot = !self.yielded.remove(&id);
        let endpoint = self.endpoints.get_mut(&key)?;
        endpoint.running -= u32::from(had_slot);
        let used_old_url = endpoint.moved_at.is_some_and(|moved_at| started <= moved_at);
        let finished = match used_old_url {
            true => endpoint.finished_at_old_url(waiting, judged, now),
            false => endpoint.finished(waiting, outcome, judged, now),
        };
        if judged.progress.standing.is_waiting() {
            self.waiting.insert(id, waiting.since);
        }
        self.make_ready(key);
        Some(finished)
    }

    /// Removes a running delivery that this node must not send.
    pub(crate) fn remove(&mut self, id: DeliveryId) {
        let Some((waiting, _)) = self.running.remove(&id) else { return };
        let had_slot = !self.yielded.remove(&id);
        let Some(endpoint) = self.endpoints.get_mut(&waiting.lane.endpoint) else { return };
        endpoint.running -= u32::from(had_slot);
        if !waiting.is_parked {
            endpoint.unblock_lane(waiting.lane.lane);
        }
        self.make_ready(waiting.lane.endpoint);
    }

    fn make_ready(&mut self, key: EndpointId) {
        let Some(endpoint) = self.endpoints.get_mut(&key) else { return };
        if !endpoint.is_ready {
            endpoint.is_ready = true;
            self.ready.push_back(key);
        }
    }

    fn wake_later(&mut self, key: EndpointId, wake_at: Option<Timestamp>) {
        let Some(endpoint) = self.endpoints.get_mut(&key) else { return };
        if let Some(before) = endpoint.wake_at {
            self.wakes.remove(&(before, key));
        }
        endpoint.wake_at = wake_at;
        self.wakes.extend(wake_at.map(|at| (at, key)));
    }

    fn wake(&mut self, now: Timestamp) {
        while let Some((at, key)) = self.wakes.first().copied().filter(|(at, _)| *at <= now) {
            self.wakes.remove(&(at, key));
            if let Some(endpoint) = self.endpoints.get_mut(&key) {
                endpoint.wake_at = None;
            }
            self.make_ready(key);
        }
    }
}

impl LaneEndpoint {
    /// Starts the next delivery. If none can start, the error is the time to try again, or `None`
    /// if only an event can change that.
    fn start(
        &mut self,
        now: Timestamp,
        is_crowded: bool,
    ) -> Result<PendingDelivery, Option<Timestamp>> {
        if self.allowed.is_paused {
            return Err(None);
        }
        if let Some(until) = self.held_until.filter(|until| *until > now) {
            return Err(Some(until));
        }
        while let Some((_, head)) = self.later.first().copied().filter(|(at, _)| *at <= now) {
            self.later.pop_first();
            self.due.push_back(head);
        }
        if self.due.is_empty() {
            return Err(self.later.first().map(|(at, _)| *at));
        }
        let limit = self.allowed.at_once_max.min(self.window.limit(is_crowded));
        if self.running >= self.breaker.at_once(limit, now) {
            // While an attempt is running, its end wakes the endpoint.
            return Err(self.breaker.next_probe_at().filter(|_| self.running == 0));
        }
        if let Err(free_at) = self.pace.take(self.allowed.per_second_max, now) {
            return Err(Some(free_at));
        }
        while let Some(head) = self.due.pop_front() {
            if let Some(started) = self.pop_head(head, now) {
                self.running += 1;
                return Ok(started);
            }
        }
        self.pace.give_back(self.allowed.per_second_max);
        Err(self.later.first().map(|(at, _)| *at))
    }

    /// Removes the head's delivery from its queue and returns it, unless the delivery no longer
    /// exists or is not due.
    fn pop_head(&mut self, head: Head, now: Timestamp) -> Option<PendingDelivery> {
        let lane = match head {
            Head::Lane(lane) => lane,
            Head::Parked(id) => {
                let due_at = self.parked.get(&id)?.due_at;
                if due_at > now {
                    self.later.insert((due_at, head));
                    return None;
                }
                return self.unpark(id);
            }
        };
        let queue = self.lanes.get_mut(&lane)?;
        let first = queue.waiting.front().filter(|_| !queue.is_busy)?;
        if first.due_at > now {
            self.later.insert((first.due_at, head));
            return None;
        }
        if let limit @ Some(_) = self.allowed.lane_per_second_max {
            let pace = self.lane_paces.entry(lane).or_default();
            if let Err(free_at) = pace.take(limit, now) {
                self.later.insert((free_at, head));
                return None;
            }
            if self.lane_paces.len() > LANE_PACES_MAX {
                self.lane_paces.retain(|_, pace| !pace.is_over(now));
            }
        }
        queue.is_busy = true;
        queue.waiting.pop_front()
    }

    /// Inserts a delivery into its lane, ordered by sequence. Deliveries of channel events can have
    /// equal sequences; those are ordered by id.
    fn enqueue(&mut self, waiting: PendingDelivery) {
        let lane = waiting.lane.lane;
        let queue = self.lanes.entry(lane).or_default();
        let is_before =
            |it: &PendingDelivery| (it.sequence, it.id) < (waiting.sequence, waiting.id);
        let position = match queue.waiting.back().is_none_or(is_before) {
            true => queue.waiting.len(),
            false => queue.waiting.partition_point(is_before),
        };
        queue.waiting.insert(position, waiting);
        if position == 0 && !queue.is_busy {
            self.later.insert((waiting.due_at, Head::Lane(lane)));
        }
    }

    fn park(&mut self, waiting: PendingDelivery) {
        self.parked.insert(waiting.id, waiting);
        self.gaps.entry(waiting.lane.lane).or_default().insert(waiting.sequence);
        self.later.insert((waiting.due_at, Head::Parked(waiting.id)));
    }

    fn unpark(&mut self, id: DeliveryId) -> Option<PendingDelivery> {
        let waiting = self.parked.remove(&id)?;
        let lane = waiting.lane.lane;
        if let Some(gaps) = self.gaps.get_mut(&lane) {
            gaps.remove(&waiting.sequence);
            if gaps.is_empty() {
                self.gaps.remove(&lane);
            }
        }
        Some(waiting)
    }

    fn remove(&mut self, waiting: &PendingDelivery) {
        self.unpark(waiting.id);
        if let Some(queue) = self.lanes.get_mut(&waiting.lane.lane) {
            queue.waiting.retain(|it| it.id != waiting.id);
        }
    }

    /// Handles the end of an attempt that was sent to a previous URL. Its outcome changes neither
    /// the circuit breaker nor the concurrency window, because these belong to the current URL.
    fn finished_at_old_url(
        &mut self,
        waiting: PendingDelivery,
        AttemptVerdict { progress, .. }: AttemptVerdict,
        now: Timestamp,
    ) -> FinishedAttempt {
        self.apply_progress(waiting, Progress { due_at: now, ..progress }, None)
    }

    fn finished(
        &mut self,
        waiting: PendingDelivery,
        outcome: Outcome,
        AttemptVerdict { progress, .. }: AttemptVerdict,
        now: Timestamp,
    ) -> FinishedAttempt {
        let turn = match outcome {
            Outcome::Delivered => {
                self.window.succeeded(self.allowed.at_once_max);
                self.breaker.succeeded(self.allowed.at_once_max)
            }
            Outcome::Postponed { after_s, holds, .. } => {
                if holds == PostponedScope::Endpoint {
                    let until = Timestamp(now.0.saturating_add(after_s as i64 * 1_000_000));
                    self.held_until = self.held_until.max(Some(until));
                }
                None
            }
            Outcome::Failed { class, .. } if class.is_final() => None,
            Outcome::Failed { .. } => {
                self.window.failed();
                self.breaker.failed(now)
            }
        };
        if turn == Some(HealthTransition::Recovered) {
            self.make_all_due(now);
        }
        self.apply_progress(waiting, progress, turn)
    }

    /// Queues the delivery again, parks it, or drops it if it is finished.
    fn apply_progress(
        &mut self,
        waiting: PendingDelivery,
        progress: Progress,
        turn: Option<HealthTransition>,
    ) -> FinishedAttempt {
        let later = PendingDelivery {
            attempts: progress.attempts,
            tries: progress.tries,
            due_at: progress.due_at,
            failed_at: progress.failed_at,
            is_parked: progress.standing == DeliveryState::Parked,
            ..waiting
        };
        let lane = waiting.lane.lane;
        match progress.standing {
            DeliveryState::Waiting => {
                self.lanes.entry(lane).or_default().waiting.push_front(later);
                self.unblock_lane(lane);
            }
            DeliveryState::Parked => self.park(later),
            DeliveryState::Delivered | DeliveryState::Failed => {}
        }
        if progress.standing != DeliveryState::Waiting && !waiting.is_parked {
            self.unblock_lane(lane);
        }
        let is_parked = later.is_parked && !waiting.is_parked;
        FinishedAttempt { is_parked, turn }
    }

    /// Marks a lane as idle and schedules its first delivery; removes the lane if it is empty.
    fn unblock_lane(&mut self, lane: Lane) {
        let Some(queue) = self.lanes.get_mut(&lane) else { return };
        queue.is_busy = false;
        match queue.waiting.front() {
            Some(head) => drop(self.later.insert((head.due_at, Head::Lane(lane)))),
            None => drop(self.lanes.remove(&lane)),
        }
    }

    /// Makes the first delivery of each lane and all parked deliveries due, because the receiver is
    /// available again.
    fn make_all_due(&mut self, now: Timestamp) {
        let fronts = self.lanes.values_mut().filter_map(|lane| lane.waiting.front_mut());
        fronts.chain(self.parked.values_mut()).for_each(|waiting| waiting.due_at = now);
        let all = std::mem::take(&mut self.later);
        let due_now = |(_, head)| (now, head);
        self.later = all.into_iter().map(due_now).collect();
    }
}

/// Computes the effect of an attempt on its delivery.
pub(crate) fn judge(
    allowed: &EndpointLimits,
    waiting: &PendingDelivery,
    outcome: Outcome,
    now: Timestamp,
    jitter: Jitter,
) -> AttemptVerdict {
    let is_postponed = matches!(outcome, Outcome::Postponed { .. });
    let tries = waiting.tries + u32::from(!is_postponed);
    let (attempts, since) = (waiting.attempts + 1, waiting.since);
    let so_far = AttemptCount { since, attempts: tries };
    let next = next(&allowed.plan, so_far, outcome, now, jitter);
    let failed_at = match outcome {
        Outcome::Delivered | Outcome::Postponed { .. } => waiting.failed_at,
        Outcome::Failed { .. } => waiting.failed_at.or(Some(now)),
    };
    let (standing, due_at) = match next {
        NextStep::Done => (DeliveryState::Delivered, now),
        NextStep::GiveUp(_) | NextStep::Disable => (DeliveryState::Failed, now),
        NextStep::TryAt(due_at) => {
            // Park the delivery if its next attempt would block the lane for `block_s` or longer.
            let is_late = failed_at.is_some_and(|at| lets_others_pass(at, allowed.block_s, due_at));
            let is_put_aside =
                matches!(outcome, Outcome::Postponed { holds: PostponedScope::Nothing, .. });
            let is_parked = waiting.is_parked || is_late || is_put_aside;
            (if is_parked { DeliveryState::Parked } else { DeliveryState::Waiting }, due_at)
        }
    };
    AttemptVerdict {
        next,
        progress: Progress { standing, attempts, tries, since, due_at, failed_at },
    }
}

#[cfg(test)]
mod tests;
