//! Which delivery may be tried now: first in, first out in each lane, lanes side by side.
//!
//! Everything here is a plain value: no clock, no I/O, no randomness. Whoever runs it hands in
//! what became known ([`Lanes::add`], [`Lanes::finished`]), asks what to start ([`Lanes::start`])
//! and when to ask again ([`Lanes::wake_at`]). Promises:
//!
//! - Of one lane at most one delivery is under way, and it is the oldest that is not parked.
//! - Of one endpoint no more run at once, and no more start in a second, than it allows.
//! - A lane that fails holds up nobody but itself, and itself only until its head is parked.
//! - Lanes of one endpoint take turns.

use std::collections::{BTreeSet, HashMap, VecDeque};

use confab_domain::delivering::{
    Breaker, Jitter, Next, Outcome, Plan, Tries, Turn, lets_others_pass, next,
};
use confab_domain::delivery::{Lane, Progress, Standing};
use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::time::Timestamp;

use super::pace::Pace;

/// What is delivered in order: everything of one room, or one person, to one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LaneKey {
    pub(crate) endpoint: EndpointId,
    pub(crate) lane: Lane,
}

/// A delivery that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) id: DeliveryId,
    pub(crate) lane: LaneKey,
    pub(crate) created_at: Timestamp,
    /// Attempts so far.
    pub(crate) attempts: u32,
    /// Not before.
    pub(crate) due_at: Timestamp,
    /// When its first attempt failed.
    pub(crate) failed_at: Option<Timestamp>,
    /// It does not hold up its lane any more.
    pub(crate) is_parked: bool,
}

/// What an endpoint allows.
#[derive(Debug, Clone)]
pub(crate) struct Allowed {
    pub(crate) at_once_max: u32,
    pub(crate) per_second_max: Option<u32>,
    /// How long a failing head holds up its lane.
    pub(crate) block_s: u64,
    pub(crate) plan: Plan,
    pub(crate) is_paused: bool,
}

impl Default for Allowed {
    fn default() -> Self {
        Self {
            at_once_max: 64,
            per_second_max: None,
            block_s: 900,
            plan: Plan::default(),
            is_paused: false,
        }
    }
}

/// What became of a finished attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) next: Next,
    /// The delivery was put aside: those behind it go on.
    pub(crate) is_parked: bool,
    /// The endpoint changed for worse or better.
    pub(crate) turn: Option<Turn>,
}

/// All lanes of all endpoints.
#[derive(Default)]
pub(crate) struct Lanes {
    endpoints: HashMap<EndpointId, Endpoint>,
    /// Deliveries under way.
    running: HashMap<DeliveryId, Waiting>,
    /// Endpoints that may have something to start, in turns.
    ready: VecDeque<EndpointId>,
    /// When an endpoint wants to be looked at again.
    wakes: BTreeSet<(Timestamp, EndpointId)>,
}

#[derive(Default)]
struct Endpoint {
    allowed: Allowed,
    breaker: Breaker,
    pace: Pace,
    running: u32,
    lanes: HashMap<Lane, Queue>,
    /// Lanes whose head is due, in turns; each is here once.
    due: VecDeque<Head>,
    /// Heads that are not due yet.
    later: BTreeSet<(Timestamp, Head)>,
    parked: HashMap<DeliveryId, Waiting>,
    is_ready: bool,
    wake_at: Option<Timestamp>,
}

/// What waits in order.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
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
        self.endpoints.entry(endpoint).or_default().allowed = allowed;
        self.make_ready(endpoint);
    }

    /// A delivery that was committed. Within a lane they must come in the order of their ids.
    pub(crate) fn add(&mut self, waiting: Waiting) {
        let endpoint = self.endpoints.entry(waiting.lane.endpoint).or_default();
        if waiting.is_parked {
            endpoint.parked.insert(waiting.id, waiting);
            endpoint.later.insert((waiting.due_at, Head::Parked(waiting.id)));
        } else {
            let lane = endpoint.lanes.entry(waiting.lane.lane).or_default();
            lane.waiting.push_back(waiting);
            if lane.waiting.len() == 1 && !lane.is_busy {
                endpoint.later.insert((waiting.due_at, Head::Lane(waiting.lane.lane)));
            }
        }
        self.make_ready(waiting.lane.endpoint);
    }

    /// The next delivery to be tried now, if there is one; it counts as running until
    /// [`Lanes::finished`].
    pub(crate) fn start(&mut self, now: Timestamp) -> Option<Waiting> {
        self.wake(now);
        while let Some(key) = self.ready.pop_front() {
            let Some(endpoint) = self.endpoints.get_mut(&key) else { continue };
            endpoint.is_ready = false;
            match endpoint.start(now) {
                Ok(started) => {
                    self.running.insert(started.id, started);
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

    /// Deliveries that wait, parked ones included, and those under way.
    pub(crate) fn backlog(&self) -> usize {
        let waiting = |endpoint: &Endpoint| {
            let in_lanes: usize = endpoint.lanes.values().map(|lane| lane.waiting.len()).sum();
            in_lanes + endpoint.parked.len()
        };
        self.endpoints.values().map(waiting).sum::<usize>() + self.running.len()
    }

    /// Where [`Lanes::finished`] will leave it, so that this can be written down before anything
    /// follows from it.
    pub(crate) fn judged(
        &self,
        id: DeliveryId,
        outcome: Outcome,
        now: Timestamp,
        jitter: Jitter,
    ) -> Option<Progress> {
        let waiting = self.running.get(&id)?;
        let allowed = &self.endpoints.get(&waiting.lane.endpoint)?.allowed;
        Some(judge(allowed, *waiting, outcome, now, jitter).1)
    }

    /// An attempt came to its end. Nothing if no such delivery is under way.
    pub(crate) fn finished(
        &mut self,
        id: DeliveryId,
        outcome: Outcome,
        now: Timestamp,
        jitter: Jitter,
    ) -> Option<Finished> {
        let waiting = self.running.remove(&id)?;
        let key = waiting.lane.endpoint;
        let finished = self.endpoints.get_mut(&key)?.finished(waiting, outcome, now, jitter);
        self.make_ready(key);
        Some(finished)
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

impl Endpoint {
    /// Starts the next one, or says when to ask again; never, if only an event can change it.
    fn start(&mut self, now: Timestamp) -> Result<Waiting, Option<Timestamp>> {
        if self.allowed.is_paused {
            return Err(None);
        }
        while let Some((_, head)) = self.later.first().copied().filter(|(at, _)| *at <= now) {
            self.later.pop_first();
            self.due.push_back(head);
        }
        if self.due.is_empty() {
            return Err(self.later.first().map(|(at, _)| *at));
        }
        if self.running >= self.breaker.at_once(self.allowed.at_once_max, now) {
            // While something runs, its end is what changes it.
            return Err(self.breaker.next_probe_at().filter(|_| self.running == 0));
        }
        if let Err(free_at) = self.pace.take(self.allowed.per_second_max, now) {
            return Err(Some(free_at));
        }
        let head = self.due.pop_front().ok_or(None)?;
        let started = match head {
            Head::Lane(lane) => self.lanes.get_mut(&lane).and_then(|lane| {
                lane.is_busy = true;
                lane.waiting.pop_front()
            }),
            Head::Parked(id) => self.parked.remove(&id),
        };
        let started = started.ok_or(Some(now))?;
        self.running += 1;
        Ok(started)
    }

    fn finished(
        &mut self,
        waiting: Waiting,
        outcome: Outcome,
        now: Timestamp,
        jitter: Jitter,
    ) -> Finished {
        self.running -= 1;
        let turn = match outcome {
            Outcome::Delivered => self.breaker.succeeded(self.allowed.at_once_max),
            Outcome::Failed { class, .. } if class.is_final() => None,
            Outcome::Failed { .. } => self.breaker.failed(now),
        };
        if turn == Some(Turn::Recovered) {
            self.release(now);
        }
        let (next, progress) = judge(&self.allowed, waiting, outcome, now, jitter);
        let later = Waiting {
            attempts: progress.attempts,
            due_at: progress.due_at,
            failed_at: progress.failed_at,
            is_parked: progress.standing == Standing::Parked,
            ..waiting
        };
        let lane = waiting.lane.lane;
        match progress.standing {
            Standing::Waiting => {
                self.lanes.entry(lane).or_default().waiting.push_front(later);
                self.next_of_lane(lane);
            }
            Standing::Parked => {
                self.parked.insert(later.id, later);
                self.later.insert((later.due_at, Head::Parked(later.id)));
            }
            Standing::Delivered | Standing::Failed => {}
        }
        if progress.standing != Standing::Waiting && !waiting.is_parked {
            self.next_of_lane(lane);
        }
        let is_parked = later.is_parked && !waiting.is_parked;
        Finished { next, is_parked, turn }
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
        let all = std::mem::take(&mut self.later);
        let released = |(_, head)| (now, head);
        self.later = all.into_iter().map(released).collect();
    }
}

/// Where an attempt leaves a delivery.
fn judge(
    allowed: &Allowed,
    waiting: Waiting,
    outcome: Outcome,
    now: Timestamp,
    jitter: Jitter,
) -> (Next, Progress) {
    let attempts = waiting.attempts + 1;
    let tries = Tries { created_at: waiting.created_at, attempts };
    let next = next(&allowed.plan, tries, outcome, now, jitter);
    let failed_at = match outcome {
        Outcome::Delivered => waiting.failed_at,
        Outcome::Failed { .. } => waiting.failed_at.or(Some(now)),
    };
    let (standing, due_at) = match next {
        Next::Done => (Standing::Delivered, now),
        Next::GiveUp(_) | Next::Disable => (Standing::Failed, now),
        Next::TryAt(due_at) => {
            // If its next attempt comes too late for those behind it, they need not wait for it.
            let is_late = failed_at.is_some_and(|at| lets_others_pass(at, allowed.block_s, due_at));
            let is_parked = waiting.is_parked || is_late;
            (if is_parked { Standing::Parked } else { Standing::Waiting }, due_at)
        }
    };
    (next, Progress { standing, attempts, due_at, failed_at })
}

#[cfg(test)]
mod tests;
