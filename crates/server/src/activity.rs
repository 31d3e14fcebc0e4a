//! What happens on one connection: whether its client or this server has the next turn.
//!
//! The envelope of HTTP and the MQTT listener report it. The stream asks it when to give up the
//! connection (D-0076), and `connections` which connections to close when sockets are scarce
//! (D-0212).

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use confab_domain::limits;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The activity of a connection. It is busy while the server owes something: a handler runs, or an
/// answer goes on that has nothing to send right now, such as a stream of events. It is quiet when
/// it is the client's turn: no request is there yet, or an answer waits to be read.
pub(crate) struct Activity {
    /// Requests that wait for the server.
    busy: AtomicUsize,
    /// Those of them whose bodies have not arrived.
    arriving: AtomicUsize,
    /// Answers that are not written to their end.
    unread: AtomicUsize,
    quiet_since: Mutex<Instant>,
    /// The connection speaks another protocol than HTTP, which has deadlines of its own.
    is_upgraded: AtomicBool,
    /// The connection is counted among those that stay once it is upgraded.
    is_admitted: AtomicBool,
    /// Another connection needs the socket.
    must_yield: AtomicBool,
    /// The task that reads and writes.
    task: AtomicWaker,
}

impl Activity {
    /// The activity of a connection that was just accepted.
    pub(crate) fn new() -> Self {
        Self {
            busy: AtomicUsize::new(0),
            arriving: AtomicUsize::new(0),
            unread: AtomicUsize::new(0),
            quiet_since: Mutex::new(Instant::now()),
            is_upgraded: AtomicBool::new(false),
            is_admitted: AtomicBool::new(true),
            must_yield: AtomicBool::new(false),
            task: AtomicWaker::new(),
        }
    }

    /// Whether the connection no longer speaks HTTP.
    pub(crate) fn is_upgraded(&self) -> bool {
        self.is_upgraded.load(Ordering::Acquire)
    }

    /// Marks the connection as one that speaks another protocol.
    pub(crate) fn set_upgraded(&self) {
        self.is_upgraded.store(true, Ordering::Release);
    }

    /// The connection may yield its socket until [`Self::set_admitted`], also when it is upgraded.
    pub(crate) fn is_admitted_later(&self) {
        self.is_admitted.store(false, Ordering::Release);
    }

    /// Marks the connection as one that stays: it is counted among those, and never yields.
    pub(crate) fn set_admitted(&self) {
        self.is_admitted.store(true, Ordering::Release);
        self.set_upgraded();
    }

    /// The client accepted part of an answer.
    pub(crate) fn note_progress(&self) {
        *self.quiet_since.lock() = Instant::now();
    }

    /// When the client has had enough time; never while it is not its turn.
    pub(crate) fn ends_at(&self) -> Option<Instant> {
        if self.busy.load(Ordering::Acquire) > 0 {
            return None;
        }
        let patience = match self.unread.load(Ordering::Acquire) {
            0 => limits::IDLE_MS,
            _ => limits::WRITE_STALL_MS,
        };
        Some(*self.quiet_since.lock() + Duration::from_millis(patience))
    }

    /// Since when the server has waited for the client alone. A request whose body has not arrived
    /// is nothing that the server works on.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        let stays = self.is_upgraded() && self.is_admitted.load(Ordering::Acquire);
        let arriving = self.arriving.load(Ordering::Acquire);
        let is_working = self.busy.load(Ordering::Acquire) > arriving;
        (!stays && !is_working).then(|| *self.quiet_since.lock())
    }

    /// Has the connection end as soon as the server waits for its client. False if it is ending
    /// already.
    pub(crate) fn wants_socket(&self) -> bool {
        let is_first = !self.must_yield.swap(true, Ordering::AcqRel);
        self.task.wake();
        is_first
    }

    /// Whether the connection is asked to end.
    pub(crate) fn must_yield(&self) -> bool {
        self.must_yield.load(Ordering::Acquire)
    }

    /// Ready when the connection has to end because another one needs its socket.
    pub(crate) fn poll_yield(&self, context: &Context<'_>) -> Poll<()> {
        self.task.register(context.waker());
        match self.must_yield() && self.waits_since().is_some() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }

    /// Ends when [`Self::poll_yield`] is ready.
    pub(crate) async fn until_yield(&self) {
        poll_fn(|context| self.poll_yield(context)).await;
    }

    /// The server owes something until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::Release);
        Busy(self.clone())
    }

    /// The body of a request arrives until the guard is dropped.
    pub(crate) fn begin_body(self: &Arc<Self>) -> Arriving {
        self.arriving.fetch_add(1, Ordering::Release);
        Arriving(self.clone())
    }

    /// An answer is not read to its end until the guard is dropped.
    pub(crate) fn begin_answer(self: &Arc<Self>) -> Unread {
        self.unread.fetch_add(1, Ordering::Release);
        Unread(self.clone())
    }
}

/// Something that the client waits for.
pub(crate) struct Busy(Arc<Activity>);

impl Busy {
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.0
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.note_progress();
        self.0.busy.fetch_sub(1, Ordering::Release);
    }
}

/// A body that arrives.
pub(crate) struct Arriving(Arc<Activity>);

impl Drop for Arriving {
    fn drop(&mut self) {
        self.0.arriving.fetch_sub(1, Ordering::Release);
    }
}

/// An answer that the client has not read to its end.
pub(crate) struct Unread(Arc<Activity>);

impl Unread {
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.0
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.note_progress();
        self.0.unread.fetch_sub(1, Ordering::Release);
    }
}
