//! One attempt of one delivery: the signed request, and what came back.
//!
//! The body goes out as it was stored, byte for byte; only the signatures and the time are new on
//! every attempt (D-0027). What the receiver says is hostile input: it is kept as inert text.

use std::time::Duration;

use bytes::Bytes;
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass};
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::Outcome;
use confab_store::Store;
use confab_verify::{header_name, hex, sign, standard};

use super::{AttemptInput, AttemptResult, Carrier, Unwanted};
use crate::delivery::persistence::until_answered;
use crate::outbound::{
    AttemptReport, BadHeader, OutboundClient, OutboundRequest, OutboundResponse, Timings,
};
use crate::traces::TraceContext;

/// Posts to the endpoint of an app.
pub(in crate::delivery) struct WebhookCarrier<'a> {
    pub(in crate::delivery) store: &'a Store,
    pub(in crate::delivery) client: &'a OutboundClient,
    /// The brand parts of header names (D-0001).
    pub(in crate::delivery) brands: &'a [String],
}

impl Carrier for WebhookCarrier<'_> {
    /// Somebody was asked for who is not needed any more (spec 6). Read without a lock: whoever is
    /// assigned from now on is assigned while it is under way.
    async fn unwanted(&self, parcel: &AttemptInput<'_>) -> Option<Unwanted> {
        if parcel.delivery.kind != EventKind::AgentAllocation {
            return None;
        }
        let room = RoomId(parcel.delivery.lane.0);
        let read = || self.store.needs_nobody(room);
        let why = "somebody serves the customer, or nobody needs to";
        let needs_nobody = until_answered("a customer's room cannot be read", read).await;
        needs_nobody.then_some(Unwanted(ErrorClass::Superseded, why))
    }

    async fn carry(&self, parcel: &AttemptInput<'_>) -> AttemptResult {
        let letter = WebhookRequest {
            delivery: parcel.delivery,
            number: parcel.number,
            url: &parcel.addressee.endpoint.url,
            timeout: parcel.timeout(),
            keys: SigningKeys::of(&parcel.addressee.app, parcel.sent_at),
            brands: self.brands,
            sent_at: parcel.sent_at,
            is_after_gap: parcel.is_after_gap,
            trace: parcel.trace,
        };
        let (outcome, attempt) = send(self.client, letter).await;
        AttemptResult::of(outcome, attempt, Vec::new())
    }
}

/// The keys that sign now. While a key is being changed there are two.
pub(crate) struct SigningKeys<'a> {
    /// Signs the header of spec 5, which holds one value.
    pub(crate) current: &'a str,
    /// Signs `webhook-signature` beside it.
    pub(crate) other: Option<&'a str>,
    /// Signs what tells of every message beside them (wire facts 3.8).
    pub(crate) sdk_secret: &'a str,
}

impl<'a> SigningKeys<'a> {
    /// Those of the app at this moment (D-0029).
    pub(crate) fn of(app: &'a App, now: Timestamp) -> Self {
        let (current, other) = app.signing_keys(now);
        Self { current, other, sdk_secret: &app.sdk_secret }
    }

    /// The current one alone.
    pub(crate) fn current_of(app: &'a App) -> Self {
        Self { current: &app.secret_key, other: None, sdk_secret: &app.sdk_secret }
    }
}

/// One attempt to be made.
pub(crate) struct WebhookRequest<'a> {
    pub(crate) delivery: &'a Delivery,
    /// The first is 1.
    pub(crate) number: u32,
    pub(crate) url: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) keys: SigningKeys<'a>,
    /// The brand parts of header names (D-0001).
    pub(crate) brands: &'a [String],
    pub(crate) sent_at: Timestamp,
    /// An earlier delivery of the lane was put aside.
    pub(crate) is_after_gap: bool,
    /// What the receiver can go on with in its own traces, if the attempt is recorded.
    pub(crate) trace: Option<TraceContext>,
}

/// Sends it and tells what became of it.
pub(crate) async fn send(
    client: &OutboundClient,
    letter: WebhookRequest<'_>,
) -> (Outcome, Attempt) {
    let WebhookRequest { number, sent_at, url, .. } = letter;
    let headers = headers(&letter);
    let (outcome, attempt) = match request(&letter, &headers) {
        Ok(request) => remembered(number, sent_at, url, client.post(request).await),
        // No header of ours can be refused; if one is, it is the receiver's to hear nothing.
        Err(bad) => remembered(number, sent_at, url, never_sent(&bad)),
    };
    let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    (outcome, Attempt { headers: Some(lines.join("\n")), ..attempt })
}

fn request(
    letter: &WebhookRequest<'_>,
    headers: &[(String, String)],
) -> Result<OutboundRequest, BadHeader> {
    let body = Bytes::copy_from_slice(letter.delivery.body.as_bytes());
    let mut request = OutboundRequest::new(letter.url, body, letter.timeout);
    for (name, value) in headers {
        request = request.header(name, value)?;
    }
    Ok(request)
}

/// What a receiver is told beside the body.
pub(crate) fn headers(letter: &WebhookRequest<'_>) -> Vec<(String, String)> {
    let WebhookRequest { delivery, keys, .. } = letter;
    let body = delivery.body.as_bytes();
    let (id, seconds) = (webhook_id(delivery), letter.sent_at.unix_seconds());
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
        ("webhook-attempt".to_owned(), letter.number.to_string()),
        ("webhook-sequence".to_owned(), delivery.sequence.to_string()),
        ("webhook-depth".to_owned(), delivery.depth.to_string()),
    ];
    if letter.is_after_gap {
        headers.push(("webhook-gap".to_owned(), "true".to_owned()));
    }
    headers.extend(letter.trace.map(|trace| ("traceparent".to_owned(), trace.traceparent())));
    let signature = sign(keys.current, body);
    headers.extend(letter.brands.iter().map(|brand| (header_name(brand), signature.clone())));
    if delivery.kind == EventKind::ChatMessage {
        let signature = hex::sign(keys.sdk_secret, body);
        let named = |brand: &String| (hex::header_name(brand), signature.clone());
        headers.extend(letter.brands.iter().map(named));
    }
    headers
}

/// The same on every attempt, so that a receiver notices a repetition.
pub(crate) fn webhook_id(delivery: &Delivery) -> String {
    format!("msg_{}", delivery.id)
}

pub(super) fn never_sent(bad: &BadHeader) -> AttemptReport {
    use crate::outbound::{ErrorClass, Failed};
    let (class, detail) = (ErrorClass::Write, bad.to_string());
    let outcome = Err(Failed { class, detail, answer: None });
    AttemptReport { outcome, peer: None, timings: Timings::default(), is_reused: false }
}

/// An attempt of this number, begun then, as it is written down.
pub(super) fn remembered(
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

/// Text that can be stored anywhere, whatever the receiver sent.
fn inert(answer: &OutboundResponse) -> String {
    String::from_utf8_lossy(&answer.body).replace('\0', "\u{fffd}")
}

/// What a receiver asks us to wait: seconds, or a date.
fn retry_after(asked: &str, now: Timestamp) -> Option<u64> {
    if let Ok(seconds) = asked.trim().parse() {
        return Some(seconds);
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(asked.trim()).ok()?;
    Some(date.as_second().saturating_sub(now.unix_seconds()).max(0) as u64)
}

#[cfg(test)]
mod tests;
