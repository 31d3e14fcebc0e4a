//! Compression of answers with gzip, for callers that accept it. Answers are compressed piece by
//! piece, so that a large one is never in memory as a whole (D-0081).

use std::convert::Infallible;
use std::io::Write as _;

use axum::body::{Body, BodyDataStream, HttpBody as _};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use confab_domain::limits;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, StreamExt, stream};

use crate::responses::answer::Answer;

/// Whether the request's `Accept-Encoding` header allows gzip.
#[derive(Clone, Copy)]
pub(crate) struct AcceptsGzip(bool);

impl<S: Sync> FromRequestParts<S> for AcceptsGzip {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let accepted = parts.headers.get(header::ACCEPT_ENCODING);
        let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
        Ok(Self(accepted.is_some_and(|accepted| takes(accepted, "gzip"))))
    }
}

impl AcceptsGzip {
    /// Compresses an answer, unless the caller does not accept gzip or the answer is small.
    pub(crate) fn compressed<T>(self, answer: Answer<T>) -> Answer<T> {
        let answer = answer?.into_response();
        let exact = answer.body().size_hint().exact();
        let is_small = exact.is_some_and(|bytes| bytes < limits::COMPRESSED_BYTES_MIN);
        if !self.0 || is_small {
            return Ok(answer.into());
        }
        let (mut parts, body) = answer.into_parts();
        let gzip = HeaderValue::from_static("gzip");
        parts.headers.insert(header::CONTENT_ENCODING, gzip);
        parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        let body = Body::from_stream(gzipped(body.into_data_stream()));
        Ok(Response::from_parts(parts, body).into())
    }
}

/// Compresses the pieces of a body as they are sent. If reading the body fails, the compressed body
/// is aborted.
fn gzipped(body: BodyDataStream) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    stream::unfold(Some((body, encoder)), async |state| {
        let (mut body, mut encoder) = state?;
        loop {
            match body.next().await {
                None => return Some((encoder.finish().map(Bytes::from).map_err(to_error), None)),
                Some(Err(error)) => return Some((Err(error), None)),
                Some(Ok(piece)) => {
                    if let Err(error) = encoder.write_all(&piece) {
                        return Some((Err(to_error(error)), None));
                    }
                    let written = std::mem::take(encoder.get_mut());
                    if !written.is_empty() {
                        return Some((Ok(Bytes::from(written)), Some((body, encoder))));
                    }
                }
            }
        }
    })
}

fn to_error(error: std::io::Error) -> axum::Error {
    axum::Error::new(error)
}

/// Whether an `Accept-Encoding` list such as `gzip, br;q=0.9` contains a coding with a quality
/// above zero.
pub(crate) fn takes(accepted: &str, coding: &str) -> bool {
    accepted.split(',').any(|entry| {
        let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
        let is_refused = weight
            .trim()
            .strip_prefix("q=")
            .is_some_and(|weight| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0));
        name.trim().eq_ignore_ascii_case(coding) && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_coding_is_used_only_if_listed_and_not_excluded() {
        for taken in ["br", "gzip, br", "gzip;q=0.5, BR;q=0.9", "gzip,br"] {
            assert!(takes(taken, "br"), "{taken}");
        }
        for refused in ["", "gzip", "br;q=0", "br; q=0.0", "brotli"] {
            assert!(!takes(refused, "br"), "{refused}");
        }
    }
}
