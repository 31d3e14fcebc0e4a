//! Whether anything happens on a connection: what its stream asks before it gives it up, and what
//! the envelope tells (D-0076).
//!
//! A connection is busy while we owe it something: a handler runs, or an answer goes on that has
//! nothing to say right now, such as a stream of events. It is quiet when it is the client's turn:
//! no request is there yet, or an answer waits to be read.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request as HttpRequest;
use axum::http::StatusCode;
use axum::response::Response;
use confab_domain::limits;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

/// What happens on one connection.
pub(super) struct Activity {
    /// Requests that wait for us.
    busy: AtomicUsize,
    /// Answers that are not written to their end.
    unread: AtomicUsize,
    quiet_since: Mutex<Instant>,
    /// It speaks something else now, which has deadlines of its own.
    is_upgraded: AtomicBool,
}

impl Activity {
    /// Of a connection that was just taken.
    pub(super) fn new() -> Self {
        Self {
            busy: AtomicUsize::new(0),
            unread: AtomicUsize::new(0),
            quiet_since: Mutex::new(Instant::now()),
            is_upgraded: AtomicBool::new(false),
        }
    }

    /// Whether it is HTTP no more.
    pub(super) fn is_upgraded(&self) -> bool {
        self.is_upgraded.load(Ordering::Relaxed)
    }

    /// When its client has had time enough; never while it is not the client's turn. `written` is
    /// when some of an answer was last taken.
    pub(super) fn ends_at(&self, written: Option<Instant>) -> Option<Instant> {
        if self.busy.load(Ordering::Acquire) > 0 {
            return None;
        }
        let patience = match self.unread.load(Ordering::Acquire) {
            0 => limits::IDLE_MS,
            _ => limits::WRITE_STALL_MS,
        };
        let quiet_since = *self.quiet_since.lock();
        let last = written.map_or(quiet_since, |written| written.max(quiet_since));
        Some(last + Duration::from_millis(patience))
    }

    fn begin(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::Release);
        Busy(self.clone())
    }
}

/// Something that the client waits for.
pub(super) struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.quiet_since.lock() = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::Release);
    }
}

impl Busy {
    /// A request has come on its connection. Tests may have none.
    pub(super) fn with(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Arc<Activity>>().map(Activity::begin)
    }

    /// The answer, after which the connection is quiet once it is taken to its end.
    pub(super) fn until_taken(self, response: Response) -> Response {
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            self.0.is_upgraded.store(true, Ordering::Relaxed);
            return response;
        }
        if response.body().is_end_stream() {
            return response;
        }
        response.map(|body| {
            let activity = self.0.clone();
            activity.unread.fetch_add(1, Ordering::Release);
            Body::new(AnswerBody { body, activity, busy: None })
        })
    }
}

/// An answer on its way.
struct AnswerBody {
    body: Body,
    activity: Arc<Activity>,
    /// While the next part of it is not there.
    busy: Option<Busy>,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match frame.is_pending() {
            true if self.busy.is_none() => self.busy = Some(self.activity.begin()),
            true => {}
            false => self.busy = None,
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        *self.activity.quiet_since.lock() = Instant::now();
        self.activity.unread.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_ms(activity: &Activity) -> Option<u64> {
        activity.ends_at(None).map(|at| (at - Instant::now()).as_millis() as u64)
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_clients_turn_is_bounded() {
        let activity = Arc::new(Activity::new());
        assert_eq!(in_ms(&activity), Some(limits::IDLE_MS));
        let busy = activity.begin();
        assert_eq!(in_ms(&activity), None, "a handler runs");
        tokio::time::advance(Duration::from_secs(25)).await;
        activity.unread.fetch_add(1, Ordering::Release);
        drop(busy);
        assert_eq!(in_ms(&activity), Some(limits::WRITE_STALL_MS), "it must read");
        let body = Body::from_stream(futures_util::stream::pending::<Result<Bytes, axum::Error>>());
        let mut events = AnswerBody { body, activity: activity.clone(), busy: None };
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(Pin::new(&mut events).poll_frame(&mut context).is_pending());
        assert_eq!(in_ms(&activity), None, "there is nothing to be read");
        tokio::time::advance(Duration::from_secs(25)).await;
        drop(events);
        assert_eq!(in_ms(&activity), Some(limits::IDLE_MS));
    }
}
