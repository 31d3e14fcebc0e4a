//! How often signing in may fail (D-0033). Counted in this process, for known and unknown accounts
//! alike.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use confab_domain::limits;
use parking_lot::Mutex;

const WINDOW: Duration = Duration::from_secs(limits::SIGN_IN_WINDOW_S);

/// The tries of a while. Each is counted before the password is looked at, so that many at once are
/// as few as many after each other, and forgotten if the password was right.
#[derive(Default)]
pub(crate) struct SignInTries(Mutex<Tries>);

#[derive(Default)]
struct Tries {
    /// Together they are at most `all` of this window and the one before.
    accounts: HashMap<String, Window>,
    all: Option<Window>,
}

#[derive(Clone, Copy)]
struct Window {
    since: Instant,
    count: usize,
}

/// Too many tries failed; even the right password is refused until then.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooOften {
    pub(crate) retry_after_s: u64,
}

impl SignInTries {
    /// Counts a try of an account.
    pub(crate) fn begin(&self, account: &str, now: Instant) -> Result<(), TooOften> {
        let Tries { accounts, all } = &mut *self.0.lock();
        if all.is_none_or(|all| all.is_over(now)) {
            accounts.retain(|_, window| !window.is_over(now));
        }
        let of_all = counted(*all, now, limits::ALL_SIGN_IN_TRIES_MAX)?;
        let own = counted(accounts.get(account).copied(), now, limits::SIGN_IN_TRIES_MAX)?;
        *all = Some(of_all);
        accounts.insert(account.to_owned(), own);
        Ok(())
    }

    /// The password was right: the account starts anew.
    pub(crate) fn forget(&self, account: &str) {
        let Tries { accounts, all } = &mut *self.0.lock();
        accounts.remove(account);
        if let Some(all) = all {
            all.count = all.count.saturating_sub(1);
        }
    }
}

impl Window {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.since) >= WINDOW
    }
}

fn counted(window: Option<Window>, now: Instant, max: usize) -> Result<Window, TooOften> {
    let fresh = Window { since: now, count: 0 };
    let window = window.filter(|window| !window.is_over(now)).unwrap_or(fresh);
    if window.count >= max {
        let left = WINDOW.saturating_sub(now.duration_since(window.since));
        let retry_after_s = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        return Err(TooOften { retry_after_s: retry_after_s.max(1) });
    }
    Ok(Window { count: window.count + 1, ..window })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn the_eleventh_try_of_an_account_waits_for_the_end_of_the_window() {
        let (tries, start) = (SignInTries::default(), Instant::now());
        for second in 0..10 {
            assert_eq!(tries.begin("ana", later(start, second)), Ok(()));
        }
        let refused = tries.begin("ana", later(start, 100));
        assert_eq!(refused, Err(TooOften { retry_after_s: 800 }));
        assert_eq!(tries.begin("bob", later(start, 100)), Ok(()), "others are free");
        assert!(tries.begin("ana", later(start, 899)).is_err());
        assert_eq!(tries.begin("ana", later(start, 900)), Ok(()));
    }

    #[test]
    fn a_right_password_starts_anew() {
        let (tries, start) = (SignInTries::default(), Instant::now());
        for _ in 0..50 {
            for _ in 0..9 {
                assert_eq!(tries.begin("ana", start), Ok(()));
            }
            tries.forget("ana");
        }
    }

    #[test]
    fn all_accounts_together_have_a_limit_and_little_is_remembered() {
        let (tries, start) = (SignInTries::default(), Instant::now());
        for account in 0..limits::ALL_SIGN_IN_TRIES_MAX {
            assert_eq!(tries.begin(&account.to_string(), start), Ok(()));
        }
        assert!(tries.begin("one more", start).is_err());
        assert_eq!(tries.begin("one more", later(start, 900)), Ok(()));
        assert_eq!(tries.0.lock().accounts.len(), 1);
    }
}
