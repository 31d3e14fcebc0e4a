//! `/realtime` as server-sent events, for those who cannot open a WebSocket.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_wire::realtime::frames;
use futures_util::stream;
use tokio::time::timeout;

use super::connected_user::ConnectedUser;
use crate::failures::chain;
use crate::realtime::hub::CutOffReason;
use crate::realtime::watching::{NextSignals, Watching};

/// Answers with a stream that does not end by itself.
pub(super) fn answer(user: Arc<User>, watching: Watching, staying: Box<ConnectedUser>) -> Response {
    let id = watching.seen().to_string();
    let hello = format!("id: {id}\ndata: {}\n\n", frames::hello(&id, &user.user_id));
    let first = EventStreamState {
        watching,
        _staying: staying,
        waiting: vec![Bytes::from(hello)],
        is_over: false,
    };
    let parts = stream::unfold(first, |mut state| async move {
        let part = state.next().await?;
        Some((Ok::<_, std::convert::Infallible>(part), state))
    });
    let mut response = Response::new(Body::from_stream(parts));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies that collect answers would hold it back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct EventStreamState {
    watching: Watching,
    _staying: Box<ConnectedUser>,
    waiting: Vec<Bytes>,
    is_over: bool,
}

impl EventStreamState {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.waiting.pop() {
            return Some(first);
        }
        if self.is_over {
            return None;
        }
        let heartbeat = Duration::from_millis(limits::REALTIME_HEARTBEAT_MS);
        let next = match timeout(heartbeat, self.watching.next()).await {
            Err(_) => return Some(Bytes::from_static(b": still here\n\n")),
            Ok(Ok(next)) => next,
            Ok(Err(error)) => {
                tracing::warn!("what was missed cannot be read: {}", chain(&error));
                return None;
            }
        };
        match next {
            NextSignals::Signals(signals) => {
                let mut part = Vec::new();
                signals.iter().for_each(|it| part.extend_from_slice(it.event_stream()));
                Some(Bytes::from(part))
            }
            NextSignals::TooMuchMissed => Some(resync("Too much was missed; load the rooms anew.")),
            NextSignals::Ended(CutOffReason::Lagged) => {
                self.is_over = true;
                Some(resync("You did not read fast enough."))
            }
            NextSignals::Ended(_) => None,
        }
    }
}

fn resync(why: &str) -> Bytes {
    Bytes::from(format!("data: {}\n\n", frames::resync(why)))
}
