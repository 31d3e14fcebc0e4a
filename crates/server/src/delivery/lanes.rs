//! Which delivery may be tried now: first in, first out in each lane, lanes side by side.
//!
//! Everything here is a plain value: no clock, no I/O, no randomness. Whoever runs it hands in
//! what became known ([`Lanes::add`], [`Lanes::finished`]), asks what to start ([`Lanes::start`])
//! and when to ask again ([`Lanes::wake_at`]). Promises:
//!
//! - Of one lane at most one delivery is under way, and it is the oldest that is not parked.
//! - Of one endpoint no more run at once, and no more start in a second, than it allows. A new one
//!   begins with several, so that a first answer that hangs holds back no other room; one at a
//!   time is for those whose breaker opened, and for those that never answered while many run.
//! - Whatever is added twice is there once.
//! - An endpoint that asks for a pause gets it, and its breaker knows nothing of that; a lane
//!   starts no faster than its endpoint's customers are to be written to.
//! - A lane that fails holds up nobody but itself, and itself only until its head is parked.
//! - Lanes of one endpoint take turns.
//! - What stepped aside, because it waits for somebody else, holds up its lane and nobody beside.

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

/// Lanes whose last start is remembered, of one endpoint, before those that are over are forgotten.
const LANE_PACES_MAX: usize = 10_000;

/// What is delivered in order: everything of one room, or one person, to one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LaneKey {
    pub(crate) endpoint: EndpointId,
    pub(crate) lane: Lane,
}

/// A delivery that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingDelivery {
    pub(crate) id: DeliveryId,
    pub(crate) app: AppId,
    pub(crate) lane: LaneKey,
    /// Its place in the lane.
    pub(crate) sequence: u64,
    /// When it began to be on its plan.
    pub(crate) since: Timestamp,
    /// Attempts so far.
    pub(crate) attempts: u32,
    /// Those of the plan it is on.
    pub(crate) tries: u32,
    /// Not before.
    pub(crate) due_at: Timestamp,
    /// When its first attempt failed.
    pub(crate) failed_at: Option<Timestamp>,
    /// It does not hold up its lane any more.
    pub(crate) is_parked: bool,
}

/// What an endpoint allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) at_once_max: u32,
    pub(crate) per_second_max: Option<u32>,
    /// The same of one lane.
    pub(crate) lane_per_second_max: Option<u32>,
    /// How long a failing head holds up its lane.
    pub(crate) block_s: u64,
    pub(crate) plan: RetrySchedule,
    pub(crate) is_paused: bool,
}

impl Allowed {
    /// What the endpoint's owner wants.
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

impl Default for Allowed {
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

/// Where an attempt leaves a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttemptVerdict {
    pub(crate) next: NextStep,
    pub(crate) progress: Progress,
}

/// What became of a finished attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FinishedAttempt {
    /// The delivery was put aside: those behind it go on.
    pub(crate) is_parked: bool,
    /// The endpoint changed for worse or better.
    pub(crate) turn: Option<HealthTransition>,
}

/// How things are, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LanesStanding {
    pub(crate) waiting: usize,
    pub(crate) parked: usize,
    pub(crate) running: usize,
    pub(crate) open_breakers: usize,
    /// When the oldest that is not delivered began to be on its plan.
    pub(crate) oldest: Option<Timestamp>,
    /// When the oldest that is under way was started.
    pub(crate) started: Option<Timestamp>,
}

/// All lanes of all endpoints.
#[derive(Default)]
pub(crate) struct Lanes {
    endpoints: HashMap<EndpointId, LaneEndpoint>,
    /// Deliveries under way, and since when.
    running: HashMap<DeliveryId, (PendingDelivery, Timestamp)>,
    /// Those of them that stepped aside.
    aside: HashSet<DeliveryId>,
    /// Those that wait, and when each began to be on its plan.
    waiting: HashMap<DeliveryId, Timestamp>,
    /// Endpoints that may have something to start, in turns.
    ready: VecDeque<EndpointId>,
    /// When an endpoint wants to be looked at again.
    wakes: BTreeSet<(Timestamp, EndpointId)>,
}

#[derive(Default)]
struct LaneEndpoint {
    allowed: Arc<Allowed>,
    /// Where it is called, and since when if it was elsewhere before.
    url: Option<String>,
    moved_at: Option<Timestamp>,
    breaker: CircuitBreaker,
    pace: Pace,
    /// When lanes started last, where that matters.
    lane_paces: HashMap<Lane, Pace>,
    /// The receiver asked us to leave it in peace until then.
    held_until: Option<Timestamp>,
    /// How many may run at once, as its answers have shown so far.
    window: Window,
    running: u32,
    lanes: HashMap<Lane, LaneQueue>,
    /// Lanes whose head is due, in turns; each is here once.
    due: VecDeque<Head>,
    /// Heads that are not due yet.
    later: BTreeSet<(Timestamp, Head)>,
    parked: HashMap<DeliveryId, PendingDelivery>,
    /// The places of those that are parked, by lane.
    gaps: HashMap<Lane, BTreeSet<u64>>,
    is_ready: bool,
    wake_at: Option<Timestamp>,
}

/// Grows with every success and shrinks with every failure: a receiver that hangs holds some
/// connections, not all that it may have. Several from the beginning, so that one first answer that
/// hangs does not hold back every other room.
#[derive(Debug, Clone, Copy)]
struct Window {
    size: u32,
    has_answered: bool,
}

impl Window {
    const FIRST: u32 = 16;
    /// Who fails gets fewer; one at a time is for those whose breaker opened.
    const LEAST: u32 = 2;

    /// Where many attempts run already, several are only for those that have answered before.
    fn at_once(self, is_crowded: bool) -> u32 {
        if is_crowded && !self.has_answered { 1 } else { self.size }
    }

    fn succeeded(&mut self, at_once_max: u32) {
        *self = Self { size: (self.size * 2).min(at_once_max), has_answered: true };
    }

    fn failed(&mut self) {
        self.size = (self.size / 2).max(Self::LEAST);
    }
}

impl Default for Window {
    fn default() -> Self {
        Self { size: Self::FIRST, has_answered: false }
    }
}

/// What waits in order.
#[derive(Default)]
struct LaneQueue {
    waiting: VecDeque<PendingDelivery>,
    /// Its head is under way: nothing else of it may start.
    is_busy: bool,
}

/// What stands first: a lane's oldest delivery, or one that was parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Lane(Lane),
    Parked(DeliveryId),
}

impl Lanes {
    /// Sets what an endpoint allows from now on.
    pub(crate) fn allow(&mut self, endpoint: EndpointId, allowed: Allowed) {
        let known = self.endpoints.entry(endpoint).or_default();
        if *known.allowed != allowed {
            if known.allowed.is_paused && !allowed.is_paused {
                known.held_until = None;
            }
            known.allowed = Arc::new(allowed);
            self.make_ready(endpoint);
        }
    }

    /// Where an endpoint is called from now on. A new address has failed with nothing yet: it is
    /// tried at once, whatever the one before did.
    pub(crate) fn call_at(&mut self, endpoint: EndpointId, url: &str, now: Timestamp) {
        let known = self.endpoints.entry(endpoint).or_default();
        if known.url.as_deref() == Some(url) {
            return;
        }
        if known.url.replace(url.to_owned()).is_some() {
            (known.breaker, known.window) = (CircuitBreaker::default(), Window::default());
            known.moved_at = Some(now);
            known.release(now);
            self.make_ready(endpoint);
        }
    }

    /// What an endpoint allows now.
    pub(crate) fn allowed(&self, endpoint: EndpointId) -> Arc<Allowed> {
        self.endpoints.get(&endpoint).map_or_else(Arc::default, |known| known.allowed.clone())
    }

    /// A delivery that was committed, or is to be sent again.
    pub(crate) fn add(&mut self, waiting: PendingDelivery) {
        if self.running.contains_key(&waiting.id) {
            return;
        }
        let endpoint = self.endpoints.entry(waiting.lane.endpoint).or_default();
        match self.waiting.insert(waiting.id, waiting.since) {
            Some(since) if since >= waiting.since => return,
            // It is to be sent again: it begins anew.
            Some(_) => endpoint.remove(&waiting),
            None => {}
        }
        if waiting.is_parked {
            endpoint.park(waiting);
        } else {
            endpoint.line_up(waiting);
        }
        self.make_ready(waiting.lane.endpoint);
    }

    /// Forgets what waits in lanes that are not ours any more. What is under way goes on.
    pub(crate) fn keep_only(&mut self, is_ours: impl Fn(Lane) -> bool) {
        for endpoint in self.endpoints.values_mut() {
            endpoint.lanes.retain(|lane, queue| {
                let is_kept = is_ours(*lane) || queue.is_busy;
                if !is_ours(*lane) {
                    for lost in queue.waiting.drain(..) {
                        self.waiting.remove(&lost.id);
                    }
                }
                is_kept
            });
            let is_lost = |waiting: &&PendingDelivery| !is_ours(waiting.lane.lane);
            let lost: Vec<_> = endpoint.parked.values().filter(is_lost).map(|it| it.id).collect();
            for id in lost {
                endpoint.unpark(id);
                self.waiting.remove(&id);
            }
        }
    }

    /// Those that are under way.
    pub(crate) fn running(&self) -> impl ExactSizeIterator<Item = &PendingDelivery> {
        self.running.values().map(|(waiting, _)| waiting)
    }

    /// How many of them take up a place that others could have.
    pub(crate) fn places_taken(&self) -> usize {
        self.running.len() - self.aside.len()
    }

    /// One that is under way waits for somebody else, and leaves its place to others of its
    /// endpoint. Its lane still waits for its end.
    pub(crate) fn step_aside(&mut self, id: DeliveryId) {
        if self.aside.len() >= limits::ATTEMPTS_ASIDE_MAX {
            return;
        }
        let Some((waiting, _)) = self.running.get(&id) else { return };
        let key = waiting.lane.endpoint;
        let Some(endpoint) = self.endpoints.get_mut(&key) else { return };
        if self.aside.insert(id) {
            endpoint.running -= 1;
            self.make_ready(key);
        }
    }

    /// The apps of which something waits.
    pub(crate) fn apps(&self) -> HashSet<AppId> {
        let in_lane = |queue: &LaneQueue| queue.waiting.front().map(|waiting| waiting.app);
        let of_endpoint = |endpoint: &LaneEndpoint| {
            let parked = endpoint.parked.values().next().map(|waiting| waiting.app);
            parked.or_else(|| endpoint.lanes.values().find_map(in_lane))
        };
        self.endpoints.values().filter_map(of_endpoint).collect()
    }

    /// The next delivery to be tried now, if there is one; it counts as running until
    /// [`Lanes::finished`].
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

    /// When [`Lanes::start`] may give something that it does not give now.
    pub(crate) fn wake_at(&self) -> Option<Timestamp> {
        self.wakes.first().map(|(at, _)| *at)
    }

    /// How things are.
    pub(crate) fn standing(&self) -> LanesStanding {
        let mut standing =
            LanesStanding { running: self.running.len(), ..LanesStanding::default() };
        for endpoint in self.endpoints.values() {
            standing.parked += endpoint.parked.len();
            standing.open_breakers += usize::from(endpoint.breaker.next_probe_at().is_some());
            let fronts = endpoint.lanes.values().filter_map(|lane| lane.waiting.front());
            let oldest = fronts.chain(endpoint.parked.values()).map(|it| it.since).min();
            standing.oldest = [standing.oldest, oldest].into_iter().flatten().min();
        }
        let under_way = self.running.values().map(|(it, _)| it.since).min();
        let in_place = self.running.iter().filter(|(id, _)| !self.aside.contains(*id));
        standing.started = in_place.map(|(_, (_, started))| *started).min();
        standing.oldest = [standing.oldest, under_way].into_iter().flatten().min();
        standing.waiting = self.waiting.len() - standing.parked;
        standing
    }

    /// Whether an earlier delivery of the lane was put aside.
    pub(crate) fn is_after_gap(&self, waiting: &PendingDelivery) -> bool {
        let LaneKey { endpoint, lane } = waiting.lane;
        let gaps = self.endpoints.get(&endpoint).and_then(|endpoint| endpoint.gaps.get(&lane));
        gaps.and_then(BTreeSet::first).is_some_and(|first| *first < waiting.sequence)
    }

    /// An attempt came to its end and was judged. Nothing if no such delivery is under way.
    pub(crate) fn finished(
        &mut self,
        id: DeliveryId,
        outcome: Outcome,
        judged: AttemptVerdict,
        now: Timestamp,
    ) -> Option<FinishedAttempt> {
        let (waiting, started) = self.running.remove(&id)?;
        let key = waiting.lane.endpoint;
        let had_place = !self.aside.remove(&id);
        let endpoint = self.endpoints.get_mut(&key)?;
        endpoint.running -= u32::from(had_place);
        let went_elsewhere = endpoint.moved_at.is_some_and(|moved_at| started <= moved_at);
        let finished = match went_elsewhere {
            true => endpoint.finished_elsewhere(waiting, judged, now),
            false => endpoint.finished(waiting, outcome, judged, now),
        };
        if judged.progress.standing.is_waiting() {
            self.waiting.insert(id, waiting.since);
        }
        self.make_ready(key);
        Some(finished)
    }

    /// It is not to be sent any more, by us.
    pub(crate) fn forget(&mut self, id: DeliveryId) {
        let Some((waiting, _)) = self.running.remove(&id) else { return };
        let had_place = !self.aside.remove(&id);
        let Some(endpoint) = self.endpoints.get_mut(&waiting.lane.endpoint) else { return };
        endpoint.running -= u32::from(had_place);
        if !waiting.is_parked {
            endpoint.next_of_lane(waiting.lane.lane);
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
    /// Starts the next one, or says when to ask again; never, if only an event can change it.
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
        let at_once = self.allowed.at_once_max.min(self.window.at_once(is_crowded));
        if self.running >= self.breaker.at_once(at_once, now) {
            // While something runs, its end is what changes it.
            return Err(self.breaker.next_probe_at().filter(|_| self.running == 0));
        }
        if let Err(free_at) = self.pace.take(self.allowed.per_second_max, now) {
            return Err(Some(free_at));
        }
        while let Some(head) = self.due.pop_front() {
            if let Some(started) = self.take(head, now) {
                self.running += 1;
                return Ok(started);
            }
        }
        self.pace.give_back(self.allowed.per_second_max);
        Err(self.later.first().map(|(at, _)| *at))
    }

    /// Takes what stands first, unless it went away or was put off since.
    fn take(&mut self, head: Head, now: Timestamp) -> Option<PendingDelivery> {
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

    /// Puts a delivery into its lane, behind all that were made before it. Services have events at
    /// the same moment: those stay as they came.
    fn line_up(&mut self, waiting: PendingDelivery) {
        let lane = waiting.lane.lane;
        let queue = self.lanes.entry(lane).or_default();
        let is_before =
            |it: &PendingDelivery| (it.sequence, it.id) < (waiting.sequence, waiting.id);
        let place = match queue.waiting.back().is_none_or(is_before) {
            true => queue.waiting.len(),
            false => queue.waiting.partition_point(is_before),
        };
        queue.waiting.insert(place, waiting);
        if place == 0 && !queue.is_busy {
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

    /// Takes one out that waits.
    fn remove(&mut self, waiting: &PendingDelivery) {
        self.unpark(waiting.id);
        if let Some(queue) = self.lanes.get_mut(&waiting.lane.lane) {
            queue.waiting.retain(|it| it.id != waiting.id);
        }
    }

    /// An attempt at the address before came to its end: that says nothing about this one.
    fn finished_elsewhere(
        &mut self,
        waiting: PendingDelivery,
        AttemptVerdict { progress, .. }: AttemptVerdict,
        now: Timestamp,
    ) -> FinishedAttempt {
        self.settle(waiting, Progress { due_at: now, ..progress }, None)
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
            self.release(now);
        }
        self.settle(waiting, progress, turn)
    }

    /// Puts it where its progress says.
    fn settle(
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
                self.next_of_lane(lane);
            }
            DeliveryState::Parked => self.park(later),
            DeliveryState::Delivered | DeliveryState::Failed => {}
        }
        if progress.standing != DeliveryState::Waiting && !waiting.is_parked {
            self.next_of_lane(lane);
        }
        let is_parked = later.is_parked && !waiting.is_parked;
        FinishedAttempt { is_parked, turn }
    }

    /// Lets the next delivery of a lane become its head.
    fn next_of_lane(&mut self, lane: Lane) {
        let Some(queue) = self.lanes.get_mut(&lane) else { return };
        queue.is_busy = false;
        match queue.waiting.front() {
            Some(head) => drop(self.later.insert((head.due_at, Head::Lane(lane)))),
            None => drop(self.lanes.remove(&lane)),
        }
    }

    /// The receiver is back: nobody waits for their next turn of the plan.
    fn release(&mut self, now: Timestamp) {
        let fronts = self.lanes.values_mut().filter_map(|lane| lane.waiting.front_mut());
        fronts.chain(self.parked.values_mut()).for_each(|waiting| waiting.due_at = now);
        let all = std::mem::take(&mut self.later);
        let released = |(_, head)| (now, head);
        self.later = all.into_iter().map(released).collect();
    }
}

/// Where an attempt leaves a delivery.
pub(crate) fn judge(
    allowed: &Allowed,
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
            // If its next attempt comes too late for those behind it, they need not wait for it.
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
