//! Forwards an event to a developer's receiver, with the server's headers.

use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    TRANSFER_ENCODING,
};
use url::Url;

use super::event::ShownEvent;
use crate::remote::api_client::{Call, exchange};
use crate::webhooks::took;

/// Time limit of a forwarded request: long enough for a breakpoint in the receiver. Later events
/// wait until the request ends.
const FORWARD_LIMIT: Duration = Duration::from_secs(60);
/// Headers that apply to a single connection and are not forwarded.
const OF_THE_CONNECTION: [HeaderName; 4] = [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING];

/// Posts the body unchanged with the event's headers. Returns a short description of the result.
pub(super) async fn forward(event: &ShownEvent, url: &Url) -> String {
    let headers = match headers(event) {
        Ok(headers) => headers,
        Err(name) => return format!("not forwarded: the header {name} is not valid"),
    };
    let body = Bytes::copy_from_slice(event.body.as_bytes());
    let (method, url, limit) = (Method::POST, url.clone(), FORWARD_LIMIT);
    match exchange(Call { method, url, headers, body, limit }).await {
        Ok(answer) => format!("{} in {}", answer.status.as_u16(), took(answer.took)),
        Err(why) => format!("failed to forward: {why}"),
    }
}

/// Returns the event's headers, or the name of an invalid one.
fn headers(event: &ShownEvent) -> Result<HeaderMap, &str> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in &event.headers {
        let parsed = (HeaderName::try_from(name), HeaderValue::from_str(value));
        let (Ok(header), Ok(value)) = parsed else { return Err(name) };
        if !OF_THE_CONNECTION.contains(&header) {
            headers.insert(header, value);
        }
    }
    Ok(headers)
}
