//! A limit on the mails that are parsed at once: parsing a mail needs several times its size in
//! memory.

use confab_domain::limits;
use tokio::sync::{Semaphore, SemaphorePermit};

/// A semaphore for the memory in which mails are parsed, with one permit per KiB.
pub(crate) struct MailTurns(Semaphore);

impl Default for MailTurns {
    fn default() -> Self {
        Self(Semaphore::new(limits::MAILS_READ_KIB_MAX as usize))
    }
}

impl MailTurns {
    /// Waits until a mail of this size may be parsed. Callers proceed in the order of their calls.
    pub(crate) async fn wait(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let kib = kib.clamp(limits::MAIL_READ_KIB_MIN, limits::MAILS_READ_KIB_MAX);
        // The semaphore is never closed.
        self.0.acquire_many(kib).await.ok()
    }
}
