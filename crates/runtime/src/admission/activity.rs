//! The activity of one connection: whether the server is working for the client or waits for it.
//!
//! The HTTP wrapper and the MQTT listener report activity. The stream reads from it when to close
//! an idle connection (design/realtime), and `connections` reads which connections to close when
//! sockets are scarce (design/sign-in-and-limits).

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use confab_domain::limits;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The activity of a connection. A connection is busy while a handler runs or while a response,
/// such as an event stream, has no data to send yet. It is quiet while the server waits for the
/// client to send a request or to read a response.
pub struct Activity {
    /// Number of requests and responses on which the server is working.
    busy: AtomicUsize,
    /// Number of busy requests whose bodies are still arriving.
    arriving: AtomicUsize,
    /// Number of responses that are not completely written.
    unread: AtomicUsize,
    quiet_since: Mutex<Instant>,
    /// Whether the connection left HTTP for a protocol with deadlines of its own.
    is_upgraded: AtomicBool,
    /// Whether the connection counts as long-lived once it is upgraded. Such a connection never
    /// yields its socket.
    is_admitted: AtomicBool,
    /// Whether the connection was asked to close because another one needs a socket.
    must_yield: AtomicBool,
    /// The task that reads and writes the connection.
    task: AtomicWaker,
}

impl Default for Activity {
    /// Creates the activity of a connection that was just accepted.
    fn default() -> Self {
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
}

impl Activity {
    /// Whether the connection no longer uses HTTP.
    pub fn is_upgraded(&self) -> bool {
        self.is_upgraded.load(Ordering::Acquire)
    }

    /// Marks the connection as upgraded to another protocol.
    pub fn set_upgraded(&self) {
        self.is_upgraded.store(true, Ordering::Release);
    }

    /// Allows the connection to be closed for another one, even if it is upgraded, until
    /// [`Self::set_admitted`].
    pub fn is_admitted_later(&self) {
        self.is_admitted.store(false, Ordering::Release);
    }

    /// Marks the connection as upgraded and long-lived, so that it never yields.
    pub fn set_admitted(&self) {
        self.is_admitted.store(true, Ordering::Release);
        self.set_upgraded();
    }

    /// Restarts the idle timeout, because a request ended or the client read part of a response.
    pub fn note_progress(&self) {
        *self.quiet_since.lock() = Instant::now();
    }

    /// Returns when the timeout for the client's next request, or for reading a response, ends.
    /// `None` while the connection is busy.
    pub fn ends_at(&self) -> Option<Instant> {
        if self.busy.load(Ordering::Acquire) > 0 {
            return None;
        }
        let patience = match self.unread.load(Ordering::Acquire) {
            0 => limits::IDLE_MS,
            _ => limits::WRITE_STALL_MS,
        };
        Some(*self.quiet_since.lock() + Duration::from_millis(patience))
    }

    /// Returns the time since which the server has waited for the client, or `None` if it does not
    /// wait or the connection is long-lived. A request whose body is still arriving counts as
    /// waiting.
    pub fn waits_since(&self) -> Option<Instant> {
        let stays = self.is_upgraded() && self.is_admitted.load(Ordering::Acquire);
        let arriving = self.arriving.load(Ordering::Acquire);
        let is_working = self.busy.load(Ordering::Acquire) > arriving;
        (!stays && !is_working).then(|| *self.quiet_since.lock())
    }

    /// Asks the connection to close as soon as the server waits for its client. Returns false if
    /// the connection had already been asked.
    pub fn wants_socket(&self) -> bool {
        let is_first = !self.must_yield.swap(true, Ordering::AcqRel);
        self.task.wake();
        is_first
    }

    /// Whether the connection was asked to close.
    pub(crate) fn must_yield(&self) -> bool {
        self.must_yield.load(Ordering::Acquire)
    }

    /// Returns `Ready` when the connection must close because another one needs its socket.
    pub fn poll_yield(&self, context: &Context<'_>) -> Poll<()> {
        self.task.register(context.waker());
        match self.must_yield() && self.waits_since().is_some() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }

    /// Waits until [`Self::poll_yield`] is ready.
    pub async fn until_yield(&self) {
        poll_fn(|context| self.poll_yield(context)).await;
    }

    /// Marks the connection as busy until the guard is dropped.
    pub fn begin(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::Release);
        Busy(self.clone())
    }

    /// Counts a request body as arriving until the guard is dropped.
    pub fn begin_body(self: &Arc<Self>) -> ArrivingBody {
        self.arriving.fetch_add(1, Ordering::Release);
        ArrivingBody(self.clone())
    }

    /// Counts a response as unread until the guard is dropped.
    pub fn begin_answer(self: &Arc<Self>) -> Unread {
        self.unread.fetch_add(1, Ordering::Release);
        Unread(self.clone())
    }
}

/// Guard of a request or response on which the server is working.
pub struct Busy(Arc<Activity>);

impl Busy {
    pub fn activity(&self) -> &Arc<Activity> {
        &self.0
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.note_progress();
        self.0.busy.fetch_sub(1, Ordering::Release);
    }
}

/// Guard of a request body that is still arriving.
pub struct ArrivingBody(Arc<Activity>);

impl Drop for ArrivingBody {
    fn drop(&mut self) {
        self.0.arriving.fetch_sub(1, Ordering::Release);
    }
}

/// Guard of a response that the client has not read completely.
pub struct Unread(Arc<Activity>);

impl Unread {
    pub fn activity(&self) -> &Arc<Activity> {
        &self.0
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.note_progress();
        self.0.unread.fetch_sub(1, Ordering::Release);
    }
}
