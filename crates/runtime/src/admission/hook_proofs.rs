//! Limits on verifying provider webhooks. Anonymous senders can cause hashing, so it is limited in
//! total and by address.
//!
//! A large webhook is hashed on a blocking thread, one at a time. An address that sent forged
//! webhooks is refused for a while before anything is hashed; a valid webhook resets its count. The
//! counters are those of this process. The webhook handlers call this module.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::limits;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::admission::peer::Peer;
use crate::admission::rate_limits::TooMuch;
use crate::admission::sign_in_limits::keep_latest;

/// This process's counters of forged webhooks. Cheap to clone; all clones share the counters.
#[derive(Clone)]
pub struct HookProofs {
    /// Time at which an address's count of forged bytes has decayed to zero.
    forgiven_at: Arc<Mutex<HashMap<Peer, Instant>>>,
    large: Arc<Semaphore>,
}

impl Default for HookProofs {
    fn default() -> Self {
        Self { forgiven_at: Arc::default(), large: Arc::new(Semaphore::new(1)) }
    }
}

impl HookProofs {
    /// Runs `prove`, which hashes at most `bytes`, and counts the webhook as forged if `prove`
    /// returns `None`. The result is counted even if the caller is dropped earlier.
    pub async fn run<Proven: Send + 'static>(
        &self,
        peer: Peer,
        bytes: usize,
        prove: impl FnOnce() -> Option<Proven> + Send + 'static,
    ) -> Result<Option<Proven>, TooMuch> {
        self.check(peer, Instant::now())?;
        let proofs = self.clone();
        let counted = move || {
            let proven = prove();
            match proven {
                Some(_) => proofs.forgive(peer),
                None => proofs.count(peer, bytes, Instant::now()),
            }
            proven
        };
        if bytes <= limits::SMALL_HOOK_HASHED_BYTES {
            return Ok(counted());
        }
        // The semaphore is never closed, so this cannot fail.
        let turn = self.large.clone().acquire_owned().await;
        // Another webhook of this address may have proved to be forged during the wait.
        self.check(peer, Instant::now())?;
        let working = move || {
            let proven = counted();
            drop(turn);
            proven
        };
        Ok(tokio::task::spawn_blocking(working).await.unwrap_or_default())
    }

    /// Fails while the address has sent too many bytes in forged webhooks.
    pub fn check(&self, peer: Peer, now: Instant) -> Result<(), TooMuch> {
        let forgiven_at = self.forgiven_at.lock().get(&peer).copied();
        let left = forgiven_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
        let wait = left.saturating_sub(time_of(limits::FORGED_HOOK_BYTES_MAX));
        if wait.is_zero() {
            return Ok(());
        }
        let retry_after_s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let what = "Too many webhooks from this address had no valid proof. Try again later.";
        Err(TooMuch { what, limit: 0, retry_after_s })
    }

    fn count(&self, peer: Peer, bytes: usize, now: Instant) {
        // A proxy on this machine that is missing from `trusted_proxies` forwards all clients.
        if peer.is_loopback() {
            return;
        }
        let mut forgiven_at = self.forgiven_at.lock();
        if forgiven_at.len() >= limits::FORGING_PEERS_MAX {
            forgiven_at.retain(|_, at| *at > now);
            keep_latest(&mut forgiven_at, limits::FORGING_PEERS_MAX, |at| *at);
        }
        let at = forgiven_at.entry(peer).or_insert(now);
        *at = (*at).max(now) + time_of((bytes as u64).max(limits::FORGED_HOOK_BYTES_MIN));
    }

    fn forgive(&self, peer: Peer) {
        self.forgiven_at.lock().remove(&peer);
    }
}

/// Returns the time in which a count of this many forged bytes decays to zero.
fn time_of(bytes: u64) -> Duration {
    Duration::from_micros(bytes * 1_000_000 / limits::FORGED_HOOK_BYTES_PER_S)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const LARGE: usize = limits::HOOK_BYTES_MAX;

    fn peer(last: u8) -> Peer {
        Peer::of_socket(IpAddr::from([192, 0, 2, last]))
    }

    fn forge(proofs: &HookProofs, peer: Peer, bytes: usize, now: Instant) -> usize {
        let forged = |_: &usize| {
            let is_checked = proofs.check(peer, now).is_ok();
            if is_checked {
                proofs.count(peer, bytes, now);
            }
            is_checked
        };
        (0..10_000).take_while(forged).count()
    }

    #[test]
    fn an_address_is_rejected_above_its_limit_of_forged_bytes_until_time_passes() {
        let (proofs, now) = (HookProofs::default(), Instant::now());
        assert_eq!(forge(&proofs, peer(1), LARGE, now), 9, "the ninth is one too many");
        let refused = proofs.check(peer(1), now).expect_err("refused");
        assert_eq!(refused.retry_after_s, 4);
        assert!(proofs.check(peer(2), now).is_ok(), "other addresses are unaffected");
        assert_eq!(forge(&proofs, peer(1), LARGE, now + Duration::from_secs(4)), 1);
        assert_eq!(forge(&proofs, peer(3), 0, now), 513, "small bodies count, too");
    }

    #[tokio::test]
    async fn a_valid_webhook_clears_the_count_of_its_address() {
        let proofs = HookProofs::default();
        forge(&proofs, peer(1), 0, Instant::now());
        proofs.forgiven_at.lock().entry(peer(1)).and_modify(|at| *at -= Duration::from_secs(8));
        let proven = proofs.run(peer(1), LARGE, || Some(())).await.expect("checked");
        assert!(proven.is_some());
        assert!(proofs.forgiven_at.lock().is_empty());
        let forged = proofs.run::<()>(peer(1), LARGE, || None).await.expect("checked");
        assert!(forged.is_none());
        assert!(!proofs.forgiven_at.lock().is_empty());
    }

    #[tokio::test]
    async fn a_forged_webhook_is_counted_even_if_the_caller_disconnects() {
        let proofs = HookProofs::default();
        let (begun, has_begun) = std::sync::mpsc::channel();
        let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
        let running = tokio::spawn({
            let proofs = proofs.clone();
            let prove = move || {
                begun.send(()).ok();
                may_go_on.recv().ok();
                None::<()>
            };
            async move { proofs.run(peer(1), LARGE, prove).await.map(drop) }
        });
        tokio::task::spawn_blocking(move || has_begun.recv())
            .await
            .expect("joined")
            .expect("the proof runs");
        running.abort();
        assert!(running.await.is_err(), "the calling task is aborted");
        go_on.send(()).expect("the proof still runs");
        let turn = proofs.large.clone().acquire_owned().await;
        assert!(proofs.forgiven_at.lock().contains_key(&peer(1)));
        drop(turn);
    }

    #[test]
    fn the_number_of_counted_addresses_is_bounded() {
        let (proofs, now) = (HookProofs::default(), Instant::now());
        for number in 0..=limits::FORGING_PEERS_MAX as u32 {
            proofs.count(Peer::of_socket(IpAddr::from((number + 1).to_be_bytes())), 0, now);
        }
        assert!(proofs.forgiven_at.lock().len() <= limits::FORGING_PEERS_MAX);
    }
}
