//! JSON answers, with content type exactly `application/json` (design/message-api).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Builds a JSON answer from a serializable body.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    json_bytes(status, written(body))
}

/// Serializes a response body as JSON.
pub(crate) fn written(shape: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BYTES_EXPECTED);
    write(&mut bytes, shape);
    bytes
}

/// Appends the JSON of a response body to `bytes`.
pub(crate) fn write(bytes: &mut Vec<u8>, shape: &impl Serialize) {
    // Writing to memory cannot fail, and every shape has string keys.
    let _ = serde_json::to_writer(bytes, shape);
}

/// Builds an answer from serialized JSON.
pub(crate) fn json_bytes(status: StatusCode, body: impl Into<Body>) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    (status, [kind], body.into()).into_response()
}

/// Initial capacity in bytes of the buffer for an answer, sufficient for most answers.
pub(crate) const BYTES_EXPECTED: usize = 1024;
