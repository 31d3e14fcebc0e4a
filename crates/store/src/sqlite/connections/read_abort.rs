//! Aborts a read on the blocking pool whose caller no longer waits.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{Connection, InterruptHandle};

use crate::error::StoreError;

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

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.is_aborted = true;
        if let Some(connection) = &state.connection {
            connection.interrupt();
        }
    }
}
