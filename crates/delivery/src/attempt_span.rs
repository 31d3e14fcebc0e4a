//! The trace span of an attempt: its destination host and its result (D-0167).

use confab_domain::webhooks::delivery::{Attempt, Delivery};
use confab_runtime::traces::{Span, SpanKind};
use url::Url;

use super::addresses::Destination;

/// Sets the attributes of an attempt's span and ends it. Of the URL only host and port are
/// recorded, because the rest may contain a token.
pub(super) fn end(mut span: Span, delivery: &Delivery, addressee: &Destination, attempt: &Attempt) {
    let kind = delivery.kind.as_str();
    span.name(format!("deliver {kind}"));
    span.set("confab.app.id", addressee.app.code.as_str());
    span.set("confab.delivery.id", delivery.id.0);
    span.set("confab.delivery.kind", kind);
    span.set("confab.delivery.attempt", i64::from(attempt.number));
    span.set("confab.endpoint.id", delivery.endpoint.0);
    let url = attempt.url.as_deref().and_then(|url| Url::parse(url).ok());
    match url.as_ref().and_then(|url| Some((url, url.host_str()?))) {
        Some((url, host)) => {
            span.set("server.address", host);
            if let Some(port) = url.port_or_known_default() {
                span.set("server.port", i64::from(port));
            }
        }
        // No request was made: the delivery is obsolete, or is handled by this server itself.
        None => span.kind(SpanKind::Internal),
    }
    if let Some(status) = attempt.status {
        span.set("http.response.status_code", i64::from(status));
    }
    if let Some(class) = attempt.error {
        span.fail(class.as_str());
    }
    span.end();
}
