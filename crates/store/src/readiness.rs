//! Whether the store takes writes, for all who ask: proven by one write a second at most (D-0083).
//!
//! Every commit is a proof, and every write that fails for the store's sake speaks against it at
//! once. Who asks when neither is fresh has the writer write something of no consequence, and
//! others who ask meanwhile wait for the same answer.

use std::time::{Duration, Instant};

use confab_domain::limits;
use parking_lot::Mutex;

use crate::error::{Fault, StoreError, StoreProblem};

/// What the writer and the readers saw last.
#[derive(Default)]
pub(crate) struct Readiness {
    seen: Mutex<LastWrites>,
    proving: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct LastWrites {
    written_at: Option<Instant>,
    /// Nothing was written since.
    failed: Option<(Instant, Fault)>,
    /// What is damaged or closed stays so, whatever is still written.
    ended: Option<Fault>,
}

const CHECKING: &str = "checking the store";

impl Readiness {
    /// Something is on disk.
    pub(crate) fn written(&self) {
        let mut seen = self.seen.lock();
        seen.written_at = Some(Instant::now());
        seen.failed = None;
    }

    /// Something could not be written.
    pub(crate) fn failed(&self, fault: &Fault) {
        self.notice_damage(fault);
        self.seen.lock().failed = Some((Instant::now(), fault.clone()));
    }

    /// No more is written than what the store writes in order to close.
    pub(crate) fn closed(&self) {
        self.seen.lock().ended.get_or_insert_with(|| "the store is closed".into());
    }

    /// Something could not be read, or written: if it is damaged, that is kept in mind.
    pub(crate) fn notice_damage(&self, fault: &Fault) {
        if fault.trouble == StoreProblem::Damaged {
            self.seen.lock().ended.get_or_insert_with(|| fault.clone());
        }
    }

    /// Whether the store takes writes: from what was seen lately, or else by `prove`, which writes.
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
        metrics::counter!("confab_store_ready_writes_total").increment(1);
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
    async fn what_is_written_while_the_store_closes_does_not_make_it_ready() {
        let readiness = Readiness::default();
        readiness.closed();
        readiness.written();
        readiness.check(async || Ok(())).await.expect_err("it is closed");
    }
}
