//! Tests of the limits on sign-in attempts, with a settable clock.

use std::net::{IpAddr, Ipv4Addr};

use super::*;

fn at(number: u32) -> Peer {
    Peer::of_socket(IpAddr::V4(Ipv4Addr::from(0xC000_0200 + number)))
}

struct World {
    tries: SignInLimits,
    start: Instant,
}

impl World {
    fn new() -> Self {
        Self { tries: SignInLimits::default(), start: Instant::now() }
    }

    fn after(&self, seconds: u64) -> Instant {
        self.start + Duration::from_secs(seconds)
    }

    fn begin(&self, account: &str, peer: Peer, second: u64) -> Result<Try, u64> {
        let account = TriedAccount::of_agent(account);
        let begun = self.tries.begin(&account, TriedFrom::Address(peer), self.after(second));
        begun.map_err(|refused| refused.retry_after_s)
    }

    /// Tries a wrong password. Returns the seconds to wait if the attempt is refused.
    fn fail(&self, account: &str, peer: Peer, second: u64) -> Option<u64> {
        match self.begin(account, peer, second) {
            Ok(begun) => begun.failed(self.after(second)),
            Err(wait) => return Some(wait),
        }
        None
    }

    fn succeed(&self, account: &str, peer: Peer, second: u64) -> Option<u64> {
        match self.begin(account, peer, second) {
            Ok(begun) => begun.succeeded(self.after(second)),
            Err(wait) => return Some(wait),
        }
        None
    }
}

#[test]
fn ten_attempts_are_free_and_then_one_per_minute() {
    let world = World::new();
    for _ in 0..10 {
        assert_eq!(world.fail("ana", at(1), 0), None);
    }
    assert_eq!(world.succeed("ana", at(1), 0), Some(60), "a correct password must wait, too");
    assert_eq!(world.fail("ana", at(1), 59), Some(1));
    assert_eq!(world.fail("bob", at(1), 0), None, "other accounts are free");
    assert_eq!(world.fail("ana", at(2), 0), None, "attempts from another address are free");
    assert_eq!(world.fail("ana", at(1), 60), None);
    assert_eq!(world.fail("ana", at(1), 60), Some(60));
    for _ in 0..10 {
        assert_eq!(world.fail("ana", at(1), 10_000), None, "all counts have expired");
    }
}

#[test]
fn a_correct_password_resets_the_count() {
    let world = World::new();
    for _ in 0..5 {
        for _ in 0..9 {
            assert_eq!(world.fail("ana", at(1), 0), None);
        }
        assert_eq!(world.succeed("ana", at(1), 0), None);
    }
}

#[test]
fn running_attempts_hold_slots_and_abandoned_ones_do_not_count() {
    let world = World::new();
    for _ in 0..100 {
        let running: Vec<_> = (0..10).map(|_| world.begin("ana", at(1), 0)).collect();
        assert!(running.iter().all(Result::is_ok));
        assert_eq!(world.begin("ana", at(1), 0).err(), Some(60));
    }
    assert_eq!(world.succeed("ana", at(1), 0), None);
}

#[test]
fn failures_from_many_addresses_limit_an_account_except_at_its_owners_address() {
    let world = World::new();
    assert_eq!(world.succeed("ana", at(0), 0), None);
    for peer in 1..=100 {
        assert_eq!(world.fail("ana", at(peer), 0), None);
    }
    assert_eq!(world.fail("ana", at(101), 0), Some(60));
    assert_eq!(world.succeed("ana", at(0), 0), None, "the owner's own address");
    assert_eq!(world.fail("ana", at(101), 60), None);
}

#[test]
fn a_known_device_has_its_own_attempts_when_address_and_account_are_limited() {
    let world = World::new();
    for peer in 0..=110 {
        for _ in 0..10 {
            world.fail("ana", at(peer), 0);
        }
    }
    assert_eq!(world.succeed("ana", at(0), 0), Some(60), "the address is limited");
    assert_eq!(world.succeed("ana", at(1_000), 0), Some(60), "any other address is limited");
    let on = |device: &str, second| {
        let (account, from) = (TriedAccount::of_agent("ana"), device.to_owned());
        world.tries.begin(&account, TriedFrom::KnownDevice(from), world.after(second))
    };
    for _ in 0..2 {
        for _ in 0..9 {
            on("hers", 0).expect("free").failed(world.start);
        }
        on("hers", 0).expect("the tenth attempt is free").succeeded(world.start);
    }
    for _ in 0..10 {
        on("hers", 0).expect("free").failed(world.start);
    }
    assert_eq!(
        on("hers", 0).err(),
        Some(TooOften { retry_after_s: 60 }),
        "a known device is limited, too"
    );
    assert!(on("another of hers", 0).is_ok());
    assert!(on("hers", 60).is_ok());
}

#[test]
fn one_address_is_limited_across_all_accounts_of_an_app() {
    let world = World::new();
    let fail = |app: i64, user: u32| {
        let account = TriedAccount::of_user(AppId(app), &user.to_string());
        let begun = world.tries.begin(&account, TriedFrom::Address(at(1)), world.start);
        begun.map(|begun| begun.failed(world.start)).map_err(|refused| refused.retry_after_s)
    };
    for user in 0..limits::PEER_SIGN_IN_TRIES_MAX {
        assert_eq!(fail(1, user), Ok(()));
    }
    assert_eq!(fail(1, 1_000), Err(1));
    assert_eq!(fail(2, 1_000), Ok(()), "attempts in another app are counted separately");
    assert_eq!(world.fail("ana", at(1), 0), None, "the dashboard is counted separately");
}

#[test]
fn counters_are_bounded_and_the_highest_are_retained_longest() {
    let world = World::new();
    for _ in 0..10 {
        assert_eq!(world.fail("ana", at(1), 0), None);
    }
    // Each attempt adds three counters.
    for number in 0..limits::SIGN_IN_COUNTERS_MAX as u32 {
        assert_eq!(world.fail(&number.to_string(), at(1_000 + number), 0), None);
        let kept = world.tries.0.lock().buckets.len();
        assert!(kept <= limits::SIGN_IN_COUNTERS_MAX, "{kept}");
    }
    assert_eq!(world.fail("ana", at(1), 1), Some(59));
    for number in 0..limits::SIGN_IN_PLACES_MAX as u32 + 10 {
        world.succeed("bob", at(1_000_000 + number), 10_000);
    }
    assert!(world.tries.0.lock().places.len() <= limits::SIGN_IN_PLACES_MAX);
}
