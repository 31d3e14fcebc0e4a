//! What is left of a request's body when its answer is there.
//!
//! An HTTP/1 connection whose body was not read to its end cannot take another request: hyper
//! closes it after the answer. So the answer says `connection: close`, or clients send their next
//! request into a connection that is about to end. What has arrived already is read off first.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Version, header};
use axum::response::Response;
use confab_domain::limits;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;

/// Where a body goes when nobody reads it any more.
#[derive(Clone, Default)]
pub(super) struct Unread(Option<Arc<Mutex<Option<Body>>>>);

impl Unread {
    /// Keeps an eye on the body of a request that may have to be read off.
    pub(super) fn watch(request: Request) -> (Request, Self) {
        if request.version() > Version::HTTP_11 || request.body().is_end_stream() {
            return (request, Self::default());
        }
        // Who waits to be asked for a body is not asked for it only to throw it away.
        let is_sent = !request.headers().contains_key(header::EXPECT);
        let left = Arc::new(Mutex::new(None));
        let place = left.clone();
        let watched = |body| Body::new(Watched { body, is_ended: false, is_sent, left: place });
        (request.map(watched), Self(Some(left)))
    }

    /// Reads off what has arrived; says so in the answer if there is more.
    pub(super) async fn end(self, response: &mut Response) {
        let Some(left) = self.0 else { return };
        if !Self::is_read_off(&left).await {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
    }

    async fn is_read_off(left: &Mutex<Option<Body>>) -> bool {
        let Some(mut body) = left.lock().take() else { return false };
        let mut bytes = 0;
        for _ in 0..limits::UNREAD_BODY_LOOKS_MAX {
            match body.frame().now_or_never() {
                Some(None) => return true,
                Some(Some(Ok(frame))) => bytes += frame.data_ref().map_or(0, Bytes::len),
                Some(Some(Err(_))) => return false,
                // The connection reads for this very task: it must run in between.
                None => tokio::task::yield_now().await,
            }
            if bytes > limits::UNREAD_BODY_BYTES_MAX {
                return false;
            }
        }
        body.is_end_stream()
    }
}

/// A body that is handed back when it is let go of before its end.
struct Watched {
    body: Body,
    is_ended: bool,
    /// It comes whether it is wanted or not.
    is_sent: bool,
    left: Arc<Mutex<Option<Body>>>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.is_ended |= matches!(polled, Poll::Ready(None));
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let body = std::mem::replace(&mut self.body, Body::empty());
        *self.left.lock() = match self.is_ended || body.is_end_stream() {
            true => Some(Body::empty()),
            false => Some(body).filter(|_| self.is_sent),
        };
    }
}
