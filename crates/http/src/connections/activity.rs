//! Reports the progress of requests and answers to their connection's [`Activity`]
//! (design/realtime).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request as HttpRequest;
use axum::http::StatusCode;
use axum::response::Response;
use confab_runtime::admission::activity::{Activity, Busy, Unread};
use hyper::body::{Frame, SizeHint};

/// Marks the connection of this request as busy. Returns `None` for requests without a connection,
/// as in tests.
pub(crate) fn busy_with(request: &HttpRequest) -> Option<Busy> {
    request.extensions().get::<Arc<Activity>>().map(Activity::begin)
}

/// Wraps the answer, so that the connection becomes idle once the client has read it.
pub(crate) fn busy_until_taken(busy: Busy, response: Response) -> Response {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        busy.activity().set_upgraded();
        return response;
    }
    if response.body().is_end_stream() {
        return response;
    }
    let unread = busy.activity().begin_answer();
    response.map(|body| Body::new(AnswerBody { body, busy: None, unread }))
}

/// Body of an answer, which reports whether the server or the client delays it.
struct AnswerBody {
    body: Body,
    /// Marks the connection as busy while the next part of the body is not ready. Must be dropped
    /// before `unread`.
    busy: Option<Busy>,
    unread: Unread,
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
            true if self.busy.is_none() => self.busy = Some(self.unread.activity().begin()),
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use confab_domain::limits;
    use tokio::time::Instant;

    use super::*;

    fn in_ms(activity: &Activity) -> Option<u64> {
        activity.ends_at().map(|at| (at - Instant::now()).as_millis() as u64)
    }

    #[tokio::test(start_paused = true)]
    async fn timeouts_apply_only_while_the_server_waits_for_the_client() {
        let activity = Arc::new(Activity::default());
        assert_eq!(in_ms(&activity), Some(limits::IDLE_MS));
        let busy = activity.begin();
        assert_eq!(in_ms(&activity), None, "a handler runs");
        tokio::time::advance(Duration::from_secs(25)).await;
        let unread = activity.begin_answer();
        drop(busy);
        assert_eq!(in_ms(&activity), Some(limits::WRITE_STALL_MS), "the client must read");
        let body = Body::from_stream(futures_util::stream::pending::<Result<Bytes, axum::Error>>());
        let mut events = AnswerBody { body, busy: None, unread };
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(Pin::new(&mut events).poll_frame(&mut context).is_pending());
        assert_eq!(in_ms(&activity), None, "the response has no data yet");
        tokio::time::advance(Duration::from_secs(25)).await;
        drop(events);
        assert_eq!(in_ms(&activity), Some(limits::IDLE_MS));
    }

    #[tokio::test(start_paused = true)]
    async fn a_socket_yields_only_while_the_server_waits_for_its_client() {
        let activity = Arc::new(Activity::default());
        let context = Context::from_waker(std::task::Waker::noop());
        assert!(activity.waits_since().is_some(), "no request is running");
        let busy = activity.begin();
        assert!(activity.wants_socket() && !activity.wants_socket(), "a socket is requested once");
        assert!(activity.poll_yield(&context).is_pending(), "a handler runs");
        let body = activity.begin_body();
        assert!(activity.poll_yield(&context).is_ready(), "the request body is incomplete");
        drop((body, busy));
        assert!(activity.poll_yield(&context).is_ready());
        activity.is_admitted_later();
        activity.set_upgraded();
        assert!(activity.waits_since().is_some(), "no user signed in");
        activity.set_admitted();
        assert!(
            activity.poll_yield(&context).is_pending(),
            "an admitted connection does not yield"
        );
    }
}
