//! Tests of the lanes against simulated receivers, with a settable clock and seeded random
//! failures.

use std::collections::{BTreeMap, HashMap};

use confab_domain::webhooks::delivery::ErrorClass;

use super::*;

const NO_JITTER: Jitter = Jitter(u16::MAX / 2);
const FAILED: Outcome = Outcome::Failed { class: ErrorClass::Status5xx, retry_after_s: None };

fn at(seconds: f64) -> Timestamp {
    Timestamp((seconds * 1_000_000.0) as i64)
}

fn waiting(id: i64, endpoint: i64, lane: i64) -> PendingDelivery {
    PendingDelivery {
        id: DeliveryId(id),
        app: AppId(1),
        lane: lane_key(endpoint, lane),
        sequence: id as u64,
        since: at(0.0),
        attempts: 0,
        tries: 0,
        due_at: at(0.0),
        failed_at: None,
        is_parked: false,
    }
}

fn lane_key(endpoint: i64, lane: i64) -> LaneKey {
    LaneKey { endpoint: EndpointId(endpoint), lane: Lane(lane) }
}

fn backlog(lanes: &Lanes) -> usize {
    let LaneCounts { waiting, parked, running, .. } = lanes.standing();
    waiting + parked + running
}

/// Ends an attempt with an outcome.
fn end(
    lanes: &mut Lanes,
    id: DeliveryId,
    outcome: Outcome,
    now: Timestamp,
    jitter: Jitter,
) -> Option<(NextStep, FinishedAttempt)> {
    let (waiting, _) = *lanes.running.get(&id)?;
    let judged = judge(&lanes.allowed(waiting.lane.endpoint), &waiting, outcome, now, jitter);
    Some((judged.next, lanes.finished(id, outcome, judged, now)?))
}

/// Lets the endpoint answer until its concurrency window is fully open.
fn proven(lanes: &mut Lanes, endpoint: i64) {
    for id in -20..0 {
        lanes.add(PendingDelivery { sequence: 0, ..waiting(id, endpoint, id) });
        assert_eq!(started(lanes, at(0.0)), [id]);
        end(lanes, DeliveryId(id), Outcome::Delivered, at(0.0), NO_JITTER)
            .expect("the delivery was running");
    }
}

/// Starts all deliveries that may start now, and returns their ids.
fn started(lanes: &mut Lanes, now: Timestamp) -> Vec<i64> {
    std::iter::from_fn(|| lanes.start(now, false)).map(|waiting| waiting.id.0).collect()
}

#[test]
fn a_delivery_that_yields_its_slot_blocks_only_its_own_lane() {
    let mut lanes = Lanes::default();
    lanes.allow(EndpointId(1), EndpointLimits { at_once_max: 2, ..EndpointLimits::default() });
    for (id, lane) in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 1)] {
        lanes.add(waiting(id, 1, lane));
    }
    assert_eq!(started(&mut lanes, at(0.0)), [1, 2]);
    // Yielding twice has no effect, nor does yielding a delivery that is not running.
    for id in [1, 1, 5, 99] {
        lanes.yield_slot(DeliveryId(id));
    }
    assert_eq!(started(&mut lanes, at(0.0)), [3], "5 is in the lane of 1");
    assert_eq!((lanes.used_slots(), lanes.running().len()), (2, 3));
    end(&mut lanes, DeliveryId(1), Outcome::Delivered, at(1.0), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(1.0)), [0; 0], "it had no slot to release");
    end(&mut lanes, DeliveryId(2), Outcome::Delivered, at(1.0), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(1.0)).len(), 1);
    lanes.yield_slot(DeliveryId(3));
    lanes.remove(DeliveryId(3));
    assert_eq!(started(&mut lanes, at(1.0)).len(), 1);
    assert_eq!((lanes.used_slots(), backlog(&lanes)), (2, 2));
}

#[test]
fn a_lane_runs_one_delivery_at_a_time() {
    let mut lanes = Lanes::default();
    proven(&mut lanes, 1);
    for (id, lane) in [(1, 7), (2, 7), (3, 8)] {
        lanes.add(waiting(id, 1, lane));
    }
    assert_eq!(started(&mut lanes, at(0.0)), [1, 3]);
    lanes.add(waiting(4, 1, 8));
    assert_eq!(started(&mut lanes, at(0.0)), [0; 0], "both lanes are busy");
    end(&mut lanes, DeliveryId(3), Outcome::Delivered, at(1.0), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(1.0)), [4]);
    end(&mut lanes, DeliveryId(1), Outcome::Delivered, at(1.0), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(1.0)), [2]);
    assert_eq!(
        end(&mut lanes, DeliveryId(1), Outcome::Delivered, at(1.0), NO_JITTER),
        None,
        "each delivery is started once"
    );
    assert_eq!(backlog(&lanes), 2);
}

#[test]
fn deliveries_with_equal_sequences_run_in_order_of_their_ids() {
    let mut lanes = Lanes::default();
    proven(&mut lanes, 1);
    for (id, sequence) in [(1, 50), (2, 50), (4, 50), (3, 50), (5, 40)] {
        lanes.add(PendingDelivery { sequence, ..waiting(id, 1, 7) });
    }
    for expected in [5, 1, 2, 3, 4] {
        assert_eq!(started(&mut lanes, at(0.0)), [expected]);
        end(&mut lanes, DeliveryId(expected), Outcome::Delivered, at(0.0), NO_JITTER);
    }
}

#[test]
fn a_failing_head_blocks_its_lane_until_it_is_parked_and_is_still_retried() {
    let mut lanes = Lanes::default();
    let plan = RetrySchedule { waits_s: vec![60, 600, 3600], ..RetrySchedule::default() };
    lanes.allow(EndpointId(1), EndpointLimits { plan, block_s: 900, ..EndpointLimits::default() });
    proven(&mut lanes, 1);
    lanes.add(waiting(1, 1, 7));
    lanes.add(waiting(2, 1, 7));
    lanes.add(waiting(3, 1, 8));
    assert_eq!(started(&mut lanes, at(0.0)), [1, 3]);
    end(&mut lanes, DeliveryId(3), Outcome::Delivered, at(0.0), NO_JITTER);
    let first = end(&mut lanes, DeliveryId(1), FAILED, at(0.0), NO_JITTER)
        .expect("the delivery was running");
    assert!(!first.1.is_parked);
    assert_eq!(
        started(&mut lanes, at(59.0)),
        [0; 0],
        "the failing head blocks the second delivery"
    );
    assert_eq!(started(&mut lanes, at(61.0)), [1]);
    assert!(
        !end(&mut lanes, DeliveryId(1), FAILED, at(61.0), NO_JITTER)
            .expect("the delivery was running")
            .1
            .is_parked
    );
    assert_eq!(started(&mut lanes, at(662.0)), [1]);
    // Its next attempt is an hour later, which would block the lane for too long.
    assert!(
        end(&mut lanes, DeliveryId(1), FAILED, at(662.0), NO_JITTER)
            .expect("the delivery was running")
            .1
            .is_parked
    );
    // After three failures without a success the breaker is open, and the next attempt is a probe.
    assert_eq!(started(&mut lanes, at(662.0)), [0; 0]);
    assert_eq!(started(&mut lanes, at(667.0)), [2]);
    end(&mut lanes, DeliveryId(2), Outcome::Delivered, at(667.0), NO_JITTER);
    assert_eq!(started(&mut lanes, at(4300.0)), [1], "the parked delivery is retried");
    let last = end(&mut lanes, DeliveryId(1), Outcome::Delivered, at(4300.0), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!((last.0, last.1.is_parked), (NextStep::Done, false));
    assert_eq!(backlog(&lanes), 0);
}

#[test]
fn a_delivery_parked_before_a_restart_does_not_block_its_lane() {
    let mut lanes = Lanes::default();
    proven(&mut lanes, 1);
    lanes.add(PendingDelivery { is_parked: true, due_at: at(50.0), ..waiting(1, 1, 7) });
    lanes.add(waiting(2, 1, 7));
    assert_eq!(started(&mut lanes, at(0.0)), [2]);
    assert_eq!(lanes.wake_at(), Some(at(50.0)));
    assert_eq!(started(&mut lanes, at(50.0)), [1]);
}

#[test]
fn an_endpoint_respects_its_concurrency_limit_and_does_not_delay_others() {
    let mut lanes = Lanes::default();
    lanes.allow(EndpointId(1), EndpointLimits { at_once_max: 3, ..EndpointLimits::default() });
    proven(&mut lanes, 1);
    for id in 0..1000 {
        lanes.add(waiting(id, 1, id));
    }
    lanes.add(waiting(5000, 2, 1));
    let running = started(&mut lanes, at(0.0));
    assert_eq!(running.iter().filter(|id| **id < 1000).count(), 3);
    assert!(
        running.contains(&5000),
        "it starts although 1,000 deliveries of another endpoint wait"
    );
    end(&mut lanes, DeliveryId(running[0]), Outcome::Delivered, at(1.0), NO_JITTER);
    assert_eq!(started(&mut lanes, at(1.0)).len(), 1);
}

#[test]
fn lanes_of_an_endpoint_take_turns() {
    let mut lanes = Lanes::default();
    lanes.allow(EndpointId(1), EndpointLimits { at_once_max: 1, ..EndpointLimits::default() });
    for id in 0..30 {
        lanes.add(waiting(id, 1, id % 3));
    }
    let mut order = Vec::new();
    while let Some(one) = lanes.start(at(0.0), false) {
        order.push(one.lane.lane.0);
        end(&mut lanes, one.id, Outcome::Delivered, at(0.0), NO_JITTER);
    }
    assert_eq!(order.len(), 30);
    for turn in order.chunks(3) {
        let mut turn = turn.to_vec();
        turn.sort();
        assert_eq!(turn, [0, 1, 2], "{order:?}");
    }
}

#[test]
fn a_paused_endpoint_starts_nothing_until_it_is_resumed() {
    let mut lanes = Lanes::default();
    lanes.allow(EndpointId(1), EndpointLimits { is_paused: true, ..EndpointLimits::default() });
    lanes.add(waiting(1, 1, 1));
    assert_eq!(started(&mut lanes, at(9.0)), [0; 0]);
    lanes.allow(EndpointId(1), EndpointLimits::default());
    assert_eq!(started(&mut lanes, at(9.0)), [1]);
}

#[test]
fn a_rate_limit_is_exceeded_by_at_most_one_percent_in_any_ten_seconds() {
    for limit in [1, 10, 1000] {
        let mut lanes = Lanes::default();
        lanes.allow(
            EndpointId(1),
            EndpointLimits { per_second_max: Some(limit), ..EndpointLimits::default() },
        );
        let count = i64::from(limit) * 30;
        (0..count).for_each(|id| lanes.add(waiting(id, 1, id)));
        let (mut now, mut times) = (at(0.0), Vec::new());
        while times.len() < count as usize {
            while let Some(one) = lanes.start(now, false) {
                times.push(now.0);
                end(&mut lanes, one.id, Outcome::Delivered, now, NO_JITTER);
            }
            now = lanes.wake_at().map_or(now, |at| at.max(Timestamp(now.0 + 1)));
        }
        let allowed = f64::from(limit) * 10.0 * 1.01 + 1.0;
        for (first, start) in times.iter().enumerate() {
            let within = times[first..].iter().take_while(|time| **time < start + 10_000_000);
            assert!(within.count() as f64 <= allowed, "{limit}/s");
        }
        let seconds = (times[times.len() - 1] - times[0]) as f64 / 1e6;
        println!("{limit}/s: {} starts in {seconds:.2} s", times.len());
        assert!(seconds <= 30.0 * 1.05, "{limit}/s is reached");
    }
}

#[test]
fn a_dead_receiver_gets_few_attempts_and_its_backlog_when_it_recovers() {
    let mut lanes = Lanes::default();
    lanes.allow(EndpointId(1), EndpointLimits { at_once_max: 16, ..EndpointLimits::default() });
    (0..5000).for_each(|id| lanes.add(waiting(id, 1, id % 100)));
    let back_at = at(6.0 * 3600.0);
    let (mut now, mut wasted, mut delivered) = (at(0.0), 0, Vec::new());
    let mut noticed_at = None;
    while delivered.len() < 5000 {
        while let Some(one) = lanes.start(now, false) {
            let outcome = if now < back_at { FAILED } else { Outcome::Delivered };
            wasted += u32::from(outcome == FAILED);
            if outcome == Outcome::Delivered {
                noticed_at.get_or_insert(now);
                delivered.push(one);
            }
            end(&mut lanes, one.id, outcome, now, NO_JITTER).expect("the delivery was running");
        }
        now = lanes.wake_at().unwrap_or(now).max(Timestamp(now.0 + 1));
    }
    let late_s = (noticed_at.expect("the recovery was detected").0 - back_at.0) as f64 / 1e6;
    let drained_s = (now.0 - back_at.0) as f64 / 1e6;
    println!(
        "{wasted} attempts in 6 h, detected after {late_s:.1} s, drained after {drained_s:.1} s"
    );
    assert!(wasted <= 10 + 6 * 3600 / 5, "at most one attempt in five seconds");
    assert!(late_s <= 30.0 && drained_s <= 31.0);
    check_order(&delivered);
}

/// Checks that the deliveries of each lane that were never parked arrived in order.
fn check_order(delivered: &[PendingDelivery]) {
    let mut last: HashMap<LaneKey, DeliveryId> = HashMap::new();
    for one in delivered.iter().filter(|one| !one.is_parked) {
        let before = last.insert(one.lane, one.id);
        assert!(before < Some(one.id), "{one:?} after {before:?}");
    }
}

/// A small random number generator: equal seeds produce equal simulations.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Runs a simulation with random arrivals, failures, attempt durations and restarts. Returns the
/// numbers of delivered and of parked deliveries.
fn simulate(seed: u64) -> (usize, usize) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut lanes = Lanes::default();
    let allowed = |dice: &mut Dice| EndpointLimits {
        at_once_max: 1 + dice.below(6) as u32,
        lane_per_second_max: None,
        per_second_max: (dice.below(3) == 0).then(|| 5 + dice.below(50) as u32),
        block_s: 60 + dice.below(600),
        plan: RetrySchedule { attempts_max: 1000, age_max_s: 1 << 29, ..RetrySchedule::default() },
        is_paused: false,
    };
    let limits: Vec<EndpointLimits> = (0..4).map(|_| allowed(&mut dice)).collect();
    let set = |lanes: &mut Lanes| {
        for (key, allowed) in limits.iter().enumerate() {
            lanes.allow(EndpointId(key as i64), allowed.clone());
        }
    };
    set(&mut lanes);
    let (mut now, mut next_id, mut done) = (at(0.0), 0, Vec::new());
    // The deliveries of the simulated store, and the end times of running attempts.
    let mut stored: BTreeMap<DeliveryId, PendingDelivery> = BTreeMap::new();
    let mut running: BTreeMap<(Timestamp, DeliveryId), PendingDelivery> = BTreeMap::new();
    while next_id < 400 || !stored.is_empty() {
        if next_id < 400 && dice.below(3) == 0 {
            let one = PendingDelivery { since: now, due_at: now, ..waiting(next_id, 0, 0) };
            let lane = lane_key(dice.below(4) as i64, dice.below(5) as i64);
            let one = PendingDelivery { lane, ..one };
            stored.insert(one.id, one);
            lanes.add(one);
            next_id += 1;
            if dice.below(10) == 0 {
                // A poll may find a delivery again that the lanes already have.
                stored.values().for_each(|one| lanes.add(*one));
            }
        }
        while let Some(one) = lanes.start(now, false) {
            // A receiver that recovers makes all its deliveries due.
            let as_stored =
                stored.get(&one.id).map(|it| PendingDelivery { due_at: one.due_at, ..*it });
            assert_eq!(as_stored, Some(one), "the started delivery equals the stored one");
            let same_lane = running.values().filter(|it| it.lane == one.lane && !it.is_parked);
            assert!(one.is_parked || same_lane.count() == 0, "a lane runs one delivery at a time");
            running.insert((Timestamp(now.0 + 1 + dice.below(2_000_000) as i64), one.id), one);
            for (key, allowed) in limits.iter().enumerate() {
                let here = running.values().filter(|it| it.lane.endpoint == EndpointId(key as i64));
                assert!(here.count() <= allowed.at_once_max as usize);
            }
        }
        if let Some(((ends_at, id), one)) = running.pop_first() {
            now = now.max(ends_at);
            let outcome = if dice.below(5) == 0 { FAILED } else { Outcome::Delivered };
            let finished = end(&mut lanes, id, outcome, now, Jitter(dice.below(65_536) as u16));
            let (next, finished) = finished.expect("the delivery was running");
            match next {
                NextStep::Done => {
                    stored.remove(&id);
                    done.push(one);
                }
                NextStep::TryAt(due_at) => {
                    let attempts = one.attempts + 1;
                    let failed_at = one.failed_at.or(Some(now));
                    let is_parked = one.is_parked || finished.is_parked;
                    let tries = one.tries + 1;
                    let later =
                        PendingDelivery { attempts, tries, due_at, failed_at, is_parked, ..one };
                    stored.insert(id, later);
                }
                other => panic!("{other:?}"),
            }
        } else {
            now = lanes.wake_at().unwrap_or(now).max(Timestamp(now.0 + 100_000));
        }
        if dice.below(200) == 0 {
            // A crash: running attempts are repeated, from the state in the store.
            lanes = Lanes::default();
            set(&mut lanes);
            running.clear();
            // Deliveries are found in another order than they were created.
            stored.values().rev().for_each(|one| lanes.add(*one));
        }
    }
    check_order(&done);
    assert_eq!((done.len(), backlog(&lanes)), (400, 0), "no delivery is lost");
    (done.len(), done.iter().filter(|one| one.is_parked).count())
}

#[test]
fn no_simulation_loses_or_reorders_deliveries() {
    let (mut delivered, mut parked) = (0, 0);
    for seed in 1..=200 {
        let (done, aside) = simulate(seed);
        delivered += done;
        parked += aside;
    }
    println!(
        "200 simulations: {delivered} delivered ({parked} once parked), 0 lost or out of order"
    );
    assert!(parked > 0, "the simulations park some deliveries");
}

#[test]
fn a_new_receiver_starts_with_sixteen_concurrent_attempts() {
    let mut lanes = Lanes::default();
    (0..200).for_each(|id| lanes.add(waiting(id, 1, id)));
    let mut at_once = Vec::new();
    for _ in 0..4 {
        let running = started(&mut lanes, at(0.0));
        at_once.push(running.len());
        for id in running {
            end(&mut lanes, DeliveryId(id), Outcome::Delivered, at(0.0), NO_JITTER);
        }
    }
    assert_eq!(at_once, [16, 64, 64, 56]);
}

#[test]
fn a_first_request_that_hangs_blocks_no_other_room() {
    let mut lanes = Lanes::default();
    (0..100).for_each(|id| lanes.add(waiting(id, 1, id)));
    let first = started(&mut lanes, at(0.0));
    let (hanging, others) = first.split_first().expect("deliveries were started");
    let mut delivered = others.to_vec();
    delivered.iter().for_each(|id| {
        end(&mut lanes, DeliveryId(*id), Outcome::Delivered, at(0.1), NO_JITTER);
    });
    while let Some(one) = lanes.start(at(0.1), false) {
        delivered.push(one.id.0);
        end(&mut lanes, one.id, Outcome::Delivered, at(0.1), NO_JITTER);
    }
    assert_eq!(delivered.len(), 99);
    assert!(!delivered.contains(hanging));
}

#[test]
fn a_crowded_engine_sends_one_at_a_time_to_receivers_that_never_answered() {
    let mut lanes = Lanes::default();
    (0..100).for_each(|id| lanes.add(waiting(id, 1, id)));
    let one = lanes.start(at(0.0), true).expect("one attempt may run");
    assert_eq!(lanes.start(at(0.0), true), None);
    end(&mut lanes, one.id, Outcome::Delivered, at(0.1), NO_JITTER);
    let more = std::iter::from_fn(|| lanes.start(at(0.1), true)).count();
    assert_eq!(more, 32, "the receiver has answered");
}

#[test]
fn failures_reduce_concurrency_to_one_when_the_breaker_opens() {
    let mut lanes = Lanes::default();
    (0..100).for_each(|id| lanes.add(waiting(id, 1, id)));
    let mut failed = 0;
    while lanes.standing().open_breakers == 0 {
        let one = lanes.start(at(0.0), false).expect("the breaker is closed");
        end(&mut lanes, one.id, FAILED, at(0.0), NO_JITTER);
        failed += 1;
    }
    assert_eq!(failed, 10);
    assert!(started(&mut lanes, at(0.0)).is_empty());
    assert_eq!(started(&mut lanes, at(6.0)).len(), 1, "a probe");
}

#[test]
fn a_replayed_delivery_keeps_its_position_and_restarts_its_schedule() {
    let mut lanes = Lanes::default();
    lanes.add(PendingDelivery { due_at: at(500.0), tries: 9, attempts: 9, ..waiting(1, 1, 7) });
    lanes.add(PendingDelivery { is_parked: true, due_at: at(500.0), ..waiting(3, 1, 7) });
    assert_eq!(started(&mut lanes, at(10.0)), [0; 0]);
    lanes.add(PendingDelivery { since: at(0.0), due_at: at(9.0), ..waiting(1, 1, 7) });
    assert_eq!(
        started(&mut lanes, at(10.0)),
        [0; 0],
        "a delivery that is found again is not a replay"
    );
    for id in [3, 2, 1] {
        lanes.add(PendingDelivery { since: at(10.0), due_at: at(10.0), ..waiting(id, 1, 7) });
    }
    let mut order = Vec::new();
    while let Some(one) = lanes.start(at(10.0), false) {
        order.push((one.id.0, one.tries));
        end(&mut lanes, one.id, Outcome::Delivered, at(10.0), NO_JITTER);
    }
    assert_eq!(order, [(1, 0), (2, 0), (3, 0)]);
}

#[test]
fn a_delivery_behind_a_parked_one_comes_after_a_gap() {
    let mut lanes = Lanes::default();
    lanes.add(PendingDelivery { is_parked: true, due_at: at(500.0), ..waiting(2, 1, 7) });
    let is_after = |lanes: &Lanes, id, lane| lanes.is_after_gap(&waiting(id, 1, lane));
    assert!(is_after(&lanes, 3, 7) && !is_after(&lanes, 1, 7) && !is_after(&lanes, 3, 8));
    assert_eq!(started(&mut lanes, at(500.0)), [2]);
    end(&mut lanes, DeliveryId(2), Outcome::Delivered, at(500.0), NO_JITTER);
    assert!(!is_after(&lanes, 3, 7), "the earlier delivery arrived");
}

#[test]
fn lost_lanes_are_removed_while_running_attempts_finish() {
    let mut lanes = Lanes::default();
    proven(&mut lanes, 1);
    for (id, lane) in [(1, 7), (2, 7), (3, 8), (4, 8)] {
        lanes.add(waiting(id, 1, lane));
    }
    lanes.add(PendingDelivery { is_parked: true, ..waiting(5, 1, 7) });
    assert_eq!(started(&mut lanes, at(0.0)), [1, 3, 5]);
    lanes.keep_only(|lane| lane.0 == 8);
    end(&mut lanes, DeliveryId(1), Outcome::Delivered, at(0.0), NO_JITTER)
        .expect("the delivery was running");
    end(&mut lanes, DeliveryId(3), Outcome::Delivered, at(0.0), NO_JITTER)
        .expect("the delivery was running");
    end(&mut lanes, DeliveryId(5), Outcome::Delivered, at(0.0), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(0.0)), [4]);
    assert_eq!(backlog(&lanes), 1);
    lanes.add(waiting(2, 1, 7));
    assert_eq!(started(&mut lanes, at(0.0)), [2], "the lane is leased again");
}

#[test]
fn a_new_address_begins_with_a_closed_breaker_and_everything_is_due() {
    let mut lanes = Lanes::default();
    let endpoint = EndpointId(1);
    lanes.call_at(endpoint, "https://old.example/", at(0.0));
    for id in 1..=11 {
        lanes.add(waiting(id, 1, id));
    }
    let mut now = 0.0;
    while lanes.standing().open_breakers == 0 {
        for id in started(&mut lanes, at(now)) {
            end(&mut lanes, DeliveryId(id), FAILED, at(now), NO_JITTER)
                .expect("the delivery was running");
        }
        now += 1.0;
    }
    assert_eq!(started(&mut lanes, at(now)), [0; 0], "the breaker is open");
    lanes.call_at(endpoint, "https://old.example/", at(now));
    assert_eq!(started(&mut lanes, at(now)), [0; 0], "the address is unchanged");
    lanes.call_at(endpoint, "https://new.example/", at(now));
    assert_eq!(lanes.standing().open_breakers, 0);
    let mut arrived = Vec::new();
    while let Some(next) = lanes.start(at(now), false) {
        arrived.push(next.id.0);
        end(&mut lanes, next.id, Outcome::Delivered, at(now), NO_JITTER)
            .expect("the delivery was running");
    }
    arrived.sort_unstable();
    assert_eq!(arrived, (1..=11).collect::<Vec<_>>(), "all are delivered immediately");
}

#[test]
fn an_attempt_at_the_old_address_does_not_affect_the_new_one() {
    let mut lanes = Lanes::default();
    let endpoint = EndpointId(1);
    lanes.call_at(endpoint, "https://old.example/", at(0.0));
    lanes.add(waiting(1, 1, 7));
    assert_eq!(started(&mut lanes, at(0.0)), [1]);
    lanes.call_at(endpoint, "https://new.example/", at(1.0));
    end(&mut lanes, DeliveryId(1), FAILED, at(2.0), NO_JITTER).expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(2.0)), [1], "it is retried immediately");
    end(&mut lanes, DeliveryId(1), FAILED, at(3.0), NO_JITTER).expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(3.0)), [0; 0], "the failure at the new address counts");
}

const LIMITED: Outcome = Outcome::Postponed {
    class: ErrorClass::Status429,
    after_s: 10,
    holds: PostponedScope::Endpoint,
};

#[test]
fn a_requested_pause_is_respected_and_does_not_count_as_a_failure() {
    let mut lanes = Lanes::default();
    proven(&mut lanes, 1);
    for (id, lane) in [(1, 7), (2, 8), (3, 9)] {
        lanes.add(waiting(id, 1, lane));
    }
    assert_eq!(started(&mut lanes, at(0.0)), [1, 2, 3]);
    for id in [1, 2, 3] {
        let (next, finished) = end(&mut lanes, DeliveryId(id), LIMITED, at(1.0), NO_JITTER)
            .expect("the delivery was running");
        assert_eq!((next, finished.turn), (NextStep::TryAt(at(11.0)), None));
    }
    assert_eq!(started(&mut lanes, at(10.9)), [0; 0]);
    lanes.add(waiting(4, 1, 10));
    assert_eq!(started(&mut lanes, at(10.9)), [0; 0], "new deliveries wait, too");
    assert_eq!(lanes.wake_at(), Some(at(11.0)));
    let mut again = started(&mut lanes, at(11.0));
    again.sort_unstable();
    assert_eq!(again, [1, 2, 3, 4], "the concurrency is unchanged");
}

#[test]
fn a_lane_respects_the_rate_limit_per_customer() {
    let mut lanes = Lanes::default();
    let lane_per_second_max = Some(1);
    lanes.allow(EndpointId(1), EndpointLimits { lane_per_second_max, ..EndpointLimits::default() });
    proven(&mut lanes, 1);
    for (id, lane) in [(1, 7), (2, 7), (3, 8)] {
        lanes.add(waiting(id, 1, lane));
    }
    assert_eq!(started(&mut lanes, at(0.0)), [1, 3]);
    end(&mut lanes, DeliveryId(1), Outcome::Delivered, at(0.1), NO_JITTER)
        .expect("the delivery was running");
    assert_eq!(started(&mut lanes, at(0.2)), [0; 0]);
    assert_eq!(started(&mut lanes, at(1.0)), [2]);
}
