//! Tests of the retry schedule, of blocked lanes and of the circuit breaker.

use super::*;

const NO_JITTER: Jitter = Jitter(u16::MAX / 2);
const FAILED: Outcome = Outcome::Failed { class: ErrorClass::Status5xx, retry_after_s: None };

fn at(seconds: f64) -> Timestamp {
    Timestamp((seconds * 1_000_000.0) as i64)
}

/// Fails each attempt when it is due. Returns the times of the attempts in seconds, and the end.
fn attempts(plan: &RetrySchedule, jitter: Jitter) -> (Vec<i64>, NextStep) {
    let (mut now, mut times) = (at(0.0), Vec::new());
    loop {
        times.push(now.unix_seconds());
        let tries = AttemptCount { since: at(0.0), attempts: times.len() as u32 };
        match next(plan, tries, FAILED, now, jitter) {
            NextStep::TryAt(later) => now = later,
            end => return (times, end),
        }
    }
}

#[test]
fn the_default_schedule_makes_at_most_30_attempts_in_9_to_10_days() {
    let (times, end) = attempts(&RetrySchedule::default(), NO_JITTER);
    let first: Vec<i64> = times[..6].to_vec();
    assert!(
        first.iter().zip([0, 5, 35, 155, 755, 2555]).all(|(a, b)| (a - b).abs() <= 1),
        "{first:?}"
    );
    let days = *times.last().expect("an attempt") as f64 / 86_400.0;
    println!("{} attempts in {days:.2} days, then {end:?}", times.len());
    assert!(times.len() <= 30 && days <= 10.0);
    assert!(days > 9.0, "attempts last to the end");
}

#[test]
fn jitter_moves_each_wait_by_a_fifth_at_most() {
    let wait = |jitter| match next(
        &RetrySchedule::default(),
        AttemptCount { since: at(0.0), attempts: 1 },
        FAILED,
        at(0.0),
        Jitter(jitter),
    ) {
        NextStep::TryAt(at) => at.0,
        other => panic!("{other:?}"),
    };
    assert_eq!(wait(0), 4_000_000);
    assert_eq!(wait(u16::MAX), 6_000_000);
    let waits: Vec<i64> = (0..=u16::MAX).step_by(997).map(wait).collect();
    assert!(waits.is_sorted() && waits.iter().all(|wait| (4_000_000..=6_000_000).contains(wait)));
}

fn after_failure(class: ErrorClass, retry_after_s: Option<u64>, attempts: u32) -> NextStep {
    let tries = AttemptCount { since: at(0.0), attempts };
    let outcome = Outcome::Failed { class, retry_after_s };
    next(&RetrySchedule::default(), tries, outcome, at(100.0), NO_JITTER)
}

#[test]
fn retry_after_delays_the_next_attempt_by_at_most_a_day() {
    let asked = |seconds| after_failure(ErrorClass::Status429, Some(seconds), 1);
    assert_eq!(asked(60), NextStep::TryAt(at(160.0)));
    assert_eq!(asked(u64::MAX), NextStep::TryAt(at(100.0 + 86_400.0)));
    let NextStep::TryAt(plain) = asked(1) else { panic!("another attempt follows") };
    assert!((plain.0 - at(105.0).0).abs() < 10_000, "not earlier than scheduled");
}

#[test]
fn final_failures_allow_no_further_attempt() {
    assert_eq!(after_failure(ErrorClass::Status410, None, 1), NextStep::Disable);
    for class in [ErrorClass::Superseded, ErrorClass::Disabled, ErrorClass::PayloadTooLarge] {
        assert_eq!(after_failure(class, None, 1), NextStep::GiveUp(class));
    }
    assert_eq!(after_failure(ErrorClass::Dns, None, 30), NextStep::GiveUp(ErrorClass::Dns));
    for class in ErrorClass::ALL.into_iter().filter(|class| !class.is_final()) {
        let is_tried = matches!(after_failure(class, None, 1), NextStep::TryAt(_));
        assert_eq!(is_tried, class != ErrorClass::Status410, "{class:?}");
    }
}

#[test]
fn a_delivery_that_would_become_too_old_is_expired() {
    let plan = RetrySchedule { age_max_s: 60, ..RetrySchedule::default() };
    let tries = AttemptCount { since: at(0.0), attempts: 2 };
    let late = next(&plan, tries, FAILED, at(50.0), NO_JITTER);
    assert_eq!(late, NextStep::GiveUp(ErrorClass::Expired));
    assert_eq!(next(&plan, tries, Outcome::Delivered, at(50.0), NO_JITTER), NextStep::Done);
}

#[test]
fn odd_schedules_and_clocks_do_not_overflow() {
    let empty = RetrySchedule { waits_s: vec![], attempts_max: 3, age_max_s: u64::MAX / 4_000_000 };
    assert_eq!(attempts(&empty, NO_JITTER).0, [0, 0, 0]);
    let endless = RetrySchedule { waits_s: vec![u64::MAX], ..RetrySchedule::default() };
    assert_eq!(attempts(&endless, Jitter(u16::MAX)).1, NextStep::GiveUp(ErrorClass::Expired));
    let tries = AttemptCount { since: Timestamp(i64::MAX), attempts: 0 };
    next(&RetrySchedule::default(), tries, FAILED, Timestamp(i64::MAX), Jitter(u16::MAX));
}

#[test]
fn a_failing_delivery_blocks_its_lane_for_a_limited_time() {
    assert!(!lets_others_pass(at(0.0), 900, at(899.9)));
    assert!(lets_others_pass(at(0.0), 900, at(900.0)));
    assert!(!lets_others_pass(at(10.0), 900, at(0.0)), "the clock was set back");
}

#[test]
fn a_breaker_opens_after_ten_failures_or_five_seconds_of_failures() {
    let mut quick = CircuitBreaker::default();
    let turns: Vec<_> = (0..10).map(|n| quick.failed(at(f64::from(n) / 100.0))).collect();
    assert_eq!(turns.iter().position(Option::is_some), Some(9), "{turns:?}");
    let mut slow = CircuitBreaker::default();
    assert_eq!(slow.failed(at(0.0)), None);
    assert_eq!(slow.failed(at(4.0)), None);
    assert_eq!(slow.failed(at(5.0)), Some(HealthTransition::Degraded));
    let mut mixed = CircuitBreaker::default();
    for second in 0..100 {
        assert_eq!(mixed.failed(at(f64::from(second))), None);
        assert_eq!(mixed.failed(at(f64::from(second) + 0.1)), None);
        assert_eq!(mixed.succeeded(8), None, "half of them arrive: it stays closed");
    }
}

fn open(breaker: &mut CircuitBreaker) {
    let turns = (0..10).filter_map(|_| breaker.failed(at(0.0)));
    assert_eq!(turns.collect::<Vec<_>>(), [HealthTransition::Degraded]);
}

#[test]
fn an_open_breaker_lets_one_probe_through_every_five_to_thirty_seconds() {
    let mut breaker = CircuitBreaker::default();
    open(&mut breaker);
    let (mut probes, mut now) = (Vec::new(), at(0.0));
    while now < at(300.0) {
        if breaker.at_once(8, now) > 0 {
            assert_eq!(breaker.at_once(8, now), 1);
            probes.push(now.unix_seconds());
            breaker.failed(now);
        }
        now = Timestamp(now.0 + 100_000);
    }
    assert_eq!(probes, [5, 15, 35, 65, 95, 125, 155, 185, 215, 245, 275]);
    assert_eq!(breaker.next_probe_at(), Some(at(305.0)));
}

#[test]
fn concurrent_attempts_double_with_each_success_after_a_recovery() {
    let mut breaker = CircuitBreaker::default();
    open(&mut breaker);
    let mut windows = vec![breaker.at_once(16, at(5.0))];
    assert_eq!(breaker.succeeded(16), Some(HealthTransition::Recovered));
    for _ in 0..4 {
        windows.push(breaker.at_once(16, at(5.0)));
        assert_eq!(breaker.succeeded(16), None);
    }
    windows.push(breaker.at_once(16, at(5.0)));
    assert_eq!(windows, [1, 2, 4, 8, 16, 16]);
    assert_eq!(breaker, CircuitBreaker::default());
}

#[test]
fn a_failure_during_recovery_opens_the_breaker_again() {
    let mut breaker = CircuitBreaker::Recovering { window: 4 };
    assert_eq!(breaker.failed(at(10.0)), Some(HealthTransition::Degraded));
    assert_eq!(breaker.at_once(8, at(14.0)), 0);
    assert_eq!(breaker.at_once(8, at(15.0)), 1);
}
