//! Live streams as server-sent events, for clients that cannot open a WebSocket.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use confab_domain::limits;
use confab_realtime::hub::CutOffReason;
use confab_runtime::failures::chain;
use confab_runtime::ids;
use confab_store::ReaderScope;
use confab_wire::realtime::frames;
use futures_util::stream;
use tokio::time::timeout;

use super::source::{LiveFrame, LiveSource, NextFrames};

/// Answers with a stream of the source's events. It ends only when the source ends or the client
/// disconnects.
pub(super) fn answer(source: impl LiveSource) -> Response {
    let hello = match source.hello() {
        (hello, Some(id)) => format!("id: {id}\ndata: {hello}\n\n"),
        (hello, None) => format!("data: {hello}\n\n"),
    };
    let first = EventStreamState { source, waiting: vec![Bytes::from(hello)], is_over: false };
    let reads = ReaderScope::current();
    let parts = stream::unfold(first, move |mut state| {
        reads.clone().run(async move {
            let part = state.next().await?;
            Some((Ok::<_, std::convert::Infallible>(part), state))
        })
    });
    let mut response = Response::new(Body::from_stream(parts));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Keeps proxies from buffering the stream.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct EventStreamState<S> {
    source: S,
    waiting: Vec<Bytes>,
    is_over: bool,
}

impl<S: LiveSource> EventStreamState<S> {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.waiting.pop() {
            return Some(first);
        }
        if self.is_over {
            return None;
        }
        let heartbeat = Duration::from_millis(limits::REALTIME_HEARTBEAT_MS);
        let next = match timeout(heartbeat, self.source.next()).await {
            Err(_) => return Some(Bytes::from_static(b": still here\n\n")),
            Ok(Ok(next)) => next,
            Ok(Err(error)) => {
                tracing::warn!(
                    error = %chain(&error),
                    "failed to read missed events of a live stream"
                );
                return None;
            }
        };
        match next {
            NextFrames::Frames(frames) => {
                let events: Vec<_> = frames.into_iter().map(LiveFrame::into_event).collect();
                Some(Bytes::from(events.concat()))
            }
            NextFrames::TooMuchMissed => {
                Some(resync("Too many events were missed. Load the rooms again."))
            }
            NextFrames::Ended(CutOffReason::Lagged) => {
                self.is_over = true;
                Some(resync("The client read events too slowly."))
            }
            NextFrames::Ended(CutOffReason::Stopping) => {
                self.is_over = true;
                Some(Bytes::from(format!("retry: {}\n\n", ids::come_back_ms())))
            }
            NextFrames::Ended(CutOffReason::AccessEnded) => None,
        }
    }
}

fn resync(why: &str) -> Bytes {
    Bytes::from(format!("data: {}\n\n", frames::resync(why)))
}
