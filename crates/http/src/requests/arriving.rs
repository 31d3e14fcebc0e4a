//! Reads bodies before handlers authenticate the caller.
//!
//! A caller is authenticated and counted when the request is complete: rights that expire while the
//! body arrives do not count, and an incomplete request uses no quota of the app
//! (design/sign-in-and-limits). The memory of arriving bodies is bounded in total and by client
//! address. Uploads are not read here, but streamed to storage.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request as HttpRequest};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use confab_app::services::Services;
use confab_domain::limits;
use confab_runtime::admission::activity::Activity;
use confab_runtime::admission::body_memory::{HeldBytes, NoRoom};
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};

use crate::requests::peer;
use crate::requests::request::RequestContext;
use crate::responses::problem::Problem;

/// Reads the body, then runs the request with the complete body.
pub(crate) async fn body_first(services: &Services, http: HttpRequest, next: Next) -> Response {
    let (parts, body) = http.into_parts();
    let request = RequestContext::of(&parts);
    if body.is_end_stream() {
        request.set_body_read();
        return next.run(HttpRequest::from_parts(parts, body)).await;
    }
    match parts.extensions.get::<MatchedPath>() {
        // No handler will read the body.
        None => next.run(HttpRequest::from_parts(parts, body)).await,
        Some(path) if reads_its_own_body(path.as_str()) => {
            let body = Body::new(Watched { body, request });
            next.run(HttpRequest::from_parts(parts, body)).await
        }
        Some(_) => match whole(&parts, body, services).await {
            // The body's memory is released when the request is answered.
            Ok((body, _held)) => {
                request.set_body_read();
                next.run(HttpRequest::from_parts(parts, body.into())).await
            }
            Err(problem) => problem.into_response(),
        },
    }
}

async fn whole(
    parts: &Parts,
    mut body: Body,
    services: &Services,
) -> Result<(Bytes, HeldBytes), Problem> {
    let too_large = || Problem::of_status(StatusCode::PAYLOAD_TOO_LARGE);
    let bytes_max = bytes_max(parts);
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(too_large());
    }
    let mut held = services.admission().body_memory.begin();
    let _arriving = parts.extensions.get::<Arc<Activity>>().map(Activity::begin_body);
    // Memory is never reserved for the announced length, but the length limits the buffer.
    let announced = body.size_hint().upper().map_or(bytes_max, |it| it as usize);
    let mut arrived = PartialBody::Nothing;
    while let Some(bytes) = next_bytes(&mut body, &held).await? {
        if arrived.len() + bytes.len() > bytes_max {
            return Err(too_large());
        }
        let room = arrived.room_with(bytes.len(), announced);
        // The connection's read buffer grows with the received bytes.
        let with_buffer = room + room.min(limits::HTTP_BUFFER_BYTES_MAX);
        held.grow_to(with_buffer, || peer::of(parts, services.config()))?;
        arrived = arrived.and(bytes, room);
    }
    Ok((arrived.whole(), held))
}

/// Returns the maximum size of the request's body in bytes. It is larger for webhooks of providers,
/// which may contain several events.
fn bytes_max(parts: &Parts) -> usize {
    let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if path.starts_with("/api/v2/hooks/") { limits::HOOK_BYTES_MAX } else { limits::BODY_BYTES_MAX }
}

/// Returns the next bytes of the body. Fails if their memory is needed for other requests.
async fn next_bytes(body: &mut Body, held: &HeldBytes) -> Result<Option<Bytes>, Problem> {
    loop {
        let frame = tokio::select! {
            biased;
            frame = body.frame() => frame,
            () = held.is_wanted_back() => return Err(NoRoom::ForAnybody.into()),
        };
        let Some(frame) = frame else { return Ok(None) };
        let frame = frame.map_err(|_| Problem::of_status(StatusCode::BAD_REQUEST))?;
        // Ignore trailers.
        if let Ok(bytes) = frame.into_data() {
            return Ok(Some(bytes));
        }
    }
}

/// The part of a body that has arrived. A body that arrives in a single piece is never copied.
/// Several pieces are joined, because each would use more memory than its own bytes.
enum PartialBody {
    Nothing,
    Piece(Bytes),
    Pieces(Vec<u8>),
}

impl PartialBody {
    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Piece(bytes) => bytes.len(),
            Self::Pieces(bytes) => bytes.len(),
        }
    }

    /// Returns the buffer size that is needed to add `more` bytes. If the body arrives
    /// in several pieces, a full buffer is doubled, so that each byte is copied about once.
    fn room_with(&self, more: usize, announced: usize) -> usize {
        let needed = self.len() + more;
        match self {
            Self::Pieces(bytes) if needed <= bytes.capacity() => bytes.capacity(),
            Self::Pieces(bytes) => needed.max(announced.min(2 * bytes.capacity())),
            Self::Nothing | Self::Piece(_) => needed,
        }
    }

    fn and(self, more: Bytes, room: usize) -> Self {
        let mut bytes = match self {
            Self::Nothing => return Self::Piece(more),
            Self::Piece(first) => {
                let mut bytes = Vec::with_capacity(room);
                bytes.extend_from_slice(&first);
                bytes
            }
            Self::Pieces(bytes) => bytes,
        };
        bytes.reserve_exact(room - bytes.len());
        bytes.extend_from_slice(&more);
        Self::Pieces(bytes)
    }

    fn whole(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::Piece(bytes) => bytes,
            Self::Pieces(bytes) => bytes.into(),
        }
    }
}

impl From<NoRoom> for Problem {
    fn from(why: NoRoom) -> Self {
        let (status, message) = match why {
            NoRoom::ForAnybody => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many request bodies are arriving. Send the request again later.",
            ),
            NoRoom::ForPeer => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many request bodies are arriving from your address. Send the request again \
                 later.",
            ),
        };
        Self::new(status, "too_many_bodies", message).retry_after(1)
    }
}

/// A body that is read by its handler. Records in the request's context when the handler has read
/// it to the end.
struct Watched {
    body: Body,
    request: RequestContext,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.request.set_body_read();
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

/// Whether the handler of this path streams the body. All others get the complete body.
pub(crate) fn reads_its_own_body(path: &str) -> bool {
    ["/api/v2/sdk/upload", "/api/v2/mobile/upload", "/api/v2/files"].contains(&path)
}
