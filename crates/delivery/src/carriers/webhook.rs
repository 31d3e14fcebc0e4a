//! Webhook attempts: the signed request and the judged answer.
//!
//! The body is sent byte for byte as it was stored. Only the signatures and the time are new in
//! each attempt (design/webhooks). The receiver's answer is untrusted input and is stored as inert
//! text.

use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass};
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::Outcome;
use confab_outbound::{
    AttemptReport, BadHeader, OutboundClient, OutboundRequest, OutboundResponse, Timings,
};
use confab_runtime::traces::TraceContext;
use confab_store::Store;
use confab_verify::{header_name, hex, sign, standard};

use super::{AttemptInput, AttemptResult, Carrier};
use crate::persistence::until_answered;

/// Posts deliveries to an app's endpoints.
pub(crate) struct WebhookCarrier<'a> {
    pub(crate) store: &'a Store,
    pub(crate) client: &'a OutboundClient,
    /// Brands that occur in the names of the webhook's headers.
    pub(crate) brands: &'a [String],
}

impl Carrier for WebhookCarrier<'_> {
    type Loaded = ();

    /// Skips an allocation request whose room no longer needs an agent (spec 6). Read without a
    /// lock: an agent assigned after this read is treated as assigned during the request.
    async fn load(&self, input: &AttemptInput<'_>) -> ControlFlow<AttemptResult> {
        if input.delivery.kind != EventKind::AgentAllocation {
            return ControlFlow::Continue(());
        }
        let room = RoomId(input.delivery.lane.0);
        let read = || self.store.needs_no_agent(room);
        let why = "The customer already has an agent, or no longer needs one.";
        match until_answered("read customer room", read).await {
            true => ControlFlow::Break(input.unsent(ErrorClass::Superseded, why)),
            false => ControlFlow::Continue(()),
        }
    }

    async fn carry(&self, input: &AttemptInput<'_>, (): ()) -> AttemptResult {
        let webhook = WebhookRequest {
            delivery: input.delivery,
            number: input.number,
            url: &input.addressee.endpoint.url,
            timeout: input.timeout(),
            keys: SigningKeys::of(&input.addressee.app, input.sent_at),
            brands: self.brands,
            sent_at: input.sent_at,
            is_after_gap: input.is_after_gap,
            trace: input.trace,
        };
        let (outcome, attempt) = send(self.client, webhook).await;
        AttemptResult::of(outcome, attempt, Vec::new())
    }
}

/// Keys by which a webhook is signed. While an app's key is being changed, both the old and the new
/// one sign.
pub struct SigningKeys<'a> {
    /// Key of the signature header of spec 5, which can hold only one signature, and of
    /// `webhook-signature`.
    pub(crate) current: &'a str,
    /// Second key of `webhook-signature`, while the app's key is being changed.
    pub(crate) other: Option<&'a str>,
    /// Key of the additional signature of chat-message webhooks (wire facts 3.8).
    pub(crate) sdk_secret: &'a str,
}

impl<'a> SigningKeys<'a> {
    /// Returns the app's signing keys at the given time.
    pub(crate) fn of(app: &'a App, now: Timestamp) -> Self {
        let (current, other) = app.signing_keys(now);
        Self { current, other, sdk_secret: &app.sdk_secret }
    }

    /// Returns the app's current key, even while the key is being changed.
    pub fn current_of(app: &'a App) -> Self {
        Self { current: &app.secret_key, other: None, sdk_secret: &app.sdk_secret }
    }
}

/// One webhook request.
pub struct WebhookRequest<'a> {
    pub delivery: &'a Delivery,
    /// Number of the attempt, counted from 1.
    pub number: u32,
    pub url: &'a str,
    pub timeout: Duration,
    pub keys: SigningKeys<'a>,
    /// Brands that occur in the names of the headers.
    pub brands: &'a [String],
    pub sent_at: Timestamp,
    /// Whether an earlier delivery of the lane is parked.
    pub is_after_gap: bool,
    /// Trace span of the attempt, which is sent so that the receiver can continue the trace; `None`
    /// if the attempt is not traced.
    pub trace: Option<TraceContext>,
}

/// Sends the webhook and judges the answer.
pub async fn send(client: &OutboundClient, webhook: WebhookRequest<'_>) -> (Outcome, Attempt) {
    let WebhookRequest { number, sent_at, url, .. } = webhook;
    let headers = headers(&webhook);
    let (outcome, attempt) = match request(&webhook, &headers) {
        Ok(request) => attempt_record(number, sent_at, url, client.post(request).await),
        // None of our headers is invalid. If one were, the delivery would fail, not the process.
        Err(bad) => attempt_record(number, sent_at, url, never_sent(&bad)),
    };
    let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    (outcome, Attempt { headers: Some(lines.join("\n")), ..attempt })
}

fn request(
    webhook: &WebhookRequest<'_>,
    headers: &[(String, String)],
) -> Result<OutboundRequest, BadHeader> {
    let body = Bytes::copy_from_slice(webhook.delivery.body.as_bytes());
    let mut request = OutboundRequest::new(webhook.url, body, webhook.timeout);
    for (name, value) in headers {
        request = request.header(name, value)?;
    }
    Ok(request)
}

/// Returns the headers of a webhook, including its signatures.
pub(crate) fn headers(webhook: &WebhookRequest<'_>) -> Vec<(String, String)> {
    let WebhookRequest { delivery, keys, .. } = webhook;
    let body = delivery.body.as_bytes();
    let (id, seconds) = (webhook_id(delivery), webhook.sent_at.unix_seconds());
    let signed = |key: &str| standard::sign(key, &id, seconds, body);
    let signatures = match keys.other {
        Some(other) => format!("{} {}", signed(keys.current), signed(other)),
        None => signed(keys.current),
    };
    let mut headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("webhook-id".to_owned(), id.clone()),
        ("webhook-timestamp".to_owned(), seconds.to_string()),
        ("webhook-signature".to_owned(), signatures),
        ("webhook-attempt".to_owned(), webhook.number.to_string()),
        ("webhook-sequence".to_owned(), delivery.sequence.to_string()),
        ("webhook-depth".to_owned(), delivery.depth.to_string()),
    ];
    if webhook.is_after_gap {
        headers.push(("webhook-gap".to_owned(), "true".to_owned()));
    }
    headers.extend(webhook.trace.map(|trace| ("traceparent".to_owned(), trace.traceparent())));
    let signature = sign(keys.current, body);
    headers.extend(webhook.brands.iter().map(|brand| (header_name(brand), signature.clone())));
    if delivery.kind == EventKind::ChatMessage {
        let signature = hex::sign(keys.sdk_secret, body);
        let named = |brand: &String| (hex::header_name(brand), signature.clone());
        headers.extend(webhook.brands.iter().map(named));
    }
    headers
}

/// Returns the value of `webhook-id`. It is the same in each attempt, so that receivers can detect
/// duplicates.
pub fn webhook_id(delivery: &Delivery) -> String {
    format!("msg_{}", delivery.id)
}

pub(super) fn never_sent(bad: &BadHeader) -> AttemptReport {
    use confab_outbound::{AttemptFailure, ErrorClass};
    let (class, detail) = (ErrorClass::Write, bad.to_string());
    let outcome = Err(AttemptFailure { class, detail, answer: None });
    AttemptReport { outcome, peer: None, timings: Timings::default(), is_reused: false }
}

/// Converts the report of a request to the outcome of the attempt and the record to store.
pub(super) fn attempt_record(
    number: u32,
    sent_at: Timestamp,
    url: &str,
    attempted: AttemptReport,
) -> (Outcome, Attempt) {
    let AttemptReport { outcome, peer, timings, .. } = attempted;
    let (answer, error, detail) = match outcome {
        Ok(answer) => (Some(answer), None, String::new()),
        Err(failed) => (failed.answer.map(|answer| *answer), Some(failed.class), failed.detail),
    };
    let outcome = match error {
        None => Outcome::Delivered,
        Some(class) => {
            let headers = answer.as_ref().map(|answer| &answer.headers);
            let asked = headers.and_then(|headers| headers.get("retry-after")?.to_str().ok());
            let retry_after_s = asked.and_then(|asked| retry_after(asked, sent_at));
            Outcome::Failed { class, retry_after_s }
        }
    };
    let attempt = Attempt {
        number,
        at: sent_at,
        error,
        status: answer.as_ref().map(|answer| answer.status),
        url: Some(url.to_owned()),
        peer: peer.map(|peer| peer.to_string()),
        phases_us: phases(timings),
        answer: answer.map_or(detail, |answer| inert(&answer)),
        headers: None,
    };
    (outcome, attempt)
}

fn phases(timings: Timings) -> [Option<u32>; 5] {
    let Timings { dns_us, connect_us, tls_us, wait_us, body_us, .. } = timings;
    let bounded = |us: Option<u64>| us.map(|us| u32::try_from(us).unwrap_or(u32::MAX));
    [dns_us, connect_us, tls_us, wait_us, body_us].map(bounded)
}

/// Converts a body to text without NUL characters and invalid UTF-8, which not every database can
/// store.
fn inert(answer: &OutboundResponse) -> String {
    String::from_utf8_lossy(&answer.body).replace('\0', "\u{fffd}")
}

/// Parses a `Retry-After` header: seconds, or a date.
fn retry_after(asked: &str, now: Timestamp) -> Option<u64> {
    if let Ok(seconds) = asked.trim().parse() {
        return Some(seconds);
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(asked.trim()).ok()?;
    Some(date.as_second().saturating_sub(now.unix_seconds()).max(0) as u64)
}

#[cfg(test)]
mod tests;
