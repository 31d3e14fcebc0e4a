//! Aborts a read on the blocking pool whose caller no longer waits.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::{Connection, InterruptHandle};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::error::StoreError;

/// Time between two interrupts of a read that has not ended.
const REPEATED_AFTER: Duration = Duration::from_millis(10);

/// Whether a read was aborted, and the handle that interrupts it while it runs.
#[derive(Default)]
pub(crate) struct ReadAbort(Mutex<ReadState>);

#[derive(Default)]
struct ReadState {
    is_aborted: bool,
    /// Handle that interrupts the connection; set while the read runs.
    connection: Option<InterruptHandle>,
}

/// Aborts a read when it is dropped. A read that has ended is unaffected.
pub(crate) struct AbortOnDrop(Arc<ReadAbort>);

impl ReadAbort {
    pub(crate) fn on_drop(self: Arc<Self>) -> AbortOnDrop {
        AbortOnDrop(self)
    }

    /// Runs the read on this connection. Fails if the read was aborted before it started.
    pub(crate) fn run<T>(
        &self,
        connection: &Connection,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        {
            let mut state = self.0.lock();
            if state.is_aborted {
                return Err(StoreError::while_doing("reading")("no caller waits for the read"));
            }
            state.connection = Some(connection.get_interrupt_handle());
        }
        let outcome = read();
        // From here on an abort must not interrupt the next read on the connection.
        self.0.lock().connection = None;
        outcome
    }
}

impl ReadAbort {
    /// Interrupts the read. Returns whether it is running.
    fn interrupt(&self) -> bool {
        let mut state = self.0.lock();
        state.is_aborted = true;
        state.connection.as_ref().map(InterruptHandle::interrupt).is_some()
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        // SQLite ignores an interrupt before the first statement and between two statements, so
        // repeat it until the read has ended.
        let (abort, runtime) = (self.0.clone(), Handle::try_current());
        if let (true, Ok(runtime)) = (abort.interrupt(), runtime) {
            runtime.spawn(async move {
                while abort.interrupt() {
                    sleep(REPEATED_AFTER).await;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT count(*) FROM n";

    #[tokio::test]
    async fn a_read_aborted_before_its_first_statement_ends() {
        let abort = Arc::new(ReadAbort::default());
        let on_drop = abort.clone().on_drop();
        let read = tokio::task::spawn_blocking(move || {
            let connection = Connection::open_in_memory().expect("a database");
            abort.run(&connection, || {
                drop(on_drop);
                let count = connection.query_row(ENDLESS, [], |row| row.get::<_, i64>(0));
                count.map_err(StoreError::while_doing("counting"))
            })
        });
        let error = read.await.expect("no panic").expect_err("the read is interrupted");
        assert!(error.source.to_string().contains("interrupted"), "{error:?}");
    }
}
