//! Whether the store accepts writes, checked with at most one write per second (design/storage).
//!
//! Every commit proves readiness, and every write that the store fails disproves it immediately. If
//! neither is recent, a check writes a row without effect, and concurrent checks share its result.

use std::time::{Duration, Instant};

use confab_domain::limits;
use parking_lot::Mutex;

use crate::error::{Fault, StoreError, StoreProblem};

/// The last successful and failed writes, and damage found by reads or writes.
#[derive(Default)]
pub(crate) struct Readiness {
    seen: Mutex<LastWrites>,
    proving: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct LastWrites {
    written_at: Option<Instant>,
    /// Time and reason of the last failed write, if no write succeeded since.
    failed: Option<(Instant, Fault)>,
    /// Permanent failure: a damaged or closed store remains unready even if writes succeed.
    ended: Option<Fault>,
}

const CHECKING: &str = "checking the store";

impl Readiness {
    /// Records a successful write.
    pub(crate) fn written(&self) {
        let mut seen = self.seen.lock();
        seen.written_at = Some(Instant::now());
        seen.failed = None;
    }

    /// Records a failed write.
    pub(crate) fn failed(&self, fault: &Fault) {
        self.notice_damage(fault);
        self.seen.lock().failed = Some((Instant::now(), fault.clone()));
    }

    /// Marks the store as closed. Afterwards, only the shutdown itself writes.
    pub(crate) fn closed(&self) {
        self.seen.lock().ended.get_or_insert_with(|| "the store is closed".into());
    }

    /// Records a fault if it is damage, which remains until the process ends.
    pub(crate) fn notice_damage(&self, fault: &Fault) {
        if fault.trouble == StoreProblem::Damaged {
            self.seen.lock().ended.get_or_insert_with(|| fault.clone());
        }
    }

    /// Returns whether the store accepts writes: according to a recent write if there is one,
    /// otherwise by running `prove`, which writes.
    pub(crate) async fn check(
        &self,
        prove: impl AsyncFnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if let Some(known) = self.known() {
            return known;
        }
        let _only_one = self.proving.lock().await;
        if let Some(known) = self.known() {
            return known;
        }
        metrics::counter!("confab_store_probe_writes_total").increment(1);
        let proven = prove().await;
        match &proven {
            Ok(()) => self.written(),
            Err(error) => self.failed(&error.fault()),
        }
        proven
    }

    fn known(&self) -> Option<Result<(), StoreError>> {
        let is_fresh =
            |at: Instant| at.elapsed() < Duration::from_millis(limits::READY_WRITE_EVERY_MS);
        let seen = self.seen.lock();
        let fault = match (&seen.ended, &seen.failed) {
            (Some(fault), _) => fault,
            (None, Some((at, fault))) if is_fresh(*at) => fault,
            (None, Some(_)) => return None,
            (None, None) => return seen.written_at.filter(|at| is_fresh(*at)).map(|_| Ok(())),
        };
        Some(Err(StoreError::while_doing(CHECKING)(fault.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn writes_of_the_shutdown_do_not_make_a_closed_store_ready() {
        let readiness = Readiness::default();
        readiness.closed();
        readiness.written();
        readiness.check(async || Ok(())).await.expect_err("the store is closed");
    }
}
