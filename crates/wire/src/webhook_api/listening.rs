//! Listening: webhooks by long polling, for receivers without a public address.

use std::borrow::Cow;
use std::collections::BTreeMap;

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::Delivery;
use serde::Serialize;
use utoipa::ToSchema;

use super::Cursor;
use super::deliveries::room_id;
use super::masking::{MASKED, is_signature, masked};
use crate::body::Body;
use crate::fields::{Integer, Within, field};
use crate::request::request;
use crate::time::to_the_microsecond;

const WAIT_MAX_S: u32 = limits::LISTEN_WAIT_MAX_S as u32;

request! {
    /// Query of `GET /listen`.
    pub struct ListenFields {
        /// `next` of the previous call; only new webhooks if absent.
        after: NextEvent, optional;
        /// Maximum time to wait for a webhook, in seconds.
        wait_seconds: Within<0, WAIT_MAX_S>, or WAIT_MAX_S, default = || WAIT_MAX_S.into();
    }
}

field! {
    /// A cursor that the OpenAPI document describes as a number.
    NextEvent -> i64, Integer::SHAPE;
    |reading, field, given| Cursor::read(reading, field, given)
}

/// A request to listen for webhooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Listen {
    /// Id of the last webhook that the caller received.
    pub after: Option<i64>,
    /// Maximum time to wait, in seconds.
    pub wait_s: u64,
}

impl Listen {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ListenFields { after, wait_seconds } = query.read()?;
        Ok(Self { after, wait_s: wait_seconds.into() })
    }
}

/// A webhook as it would be sent. Callers with the secret key get the exact bytes that the
/// signature covers. For callers with a sign-in token, secret keys in the body are masked; if there
/// were any, signatures are masked as well.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub struct EventShape<'a> {
    /// Id of the webhook; increases over time.
    id: i64,
    /// Kind of event.
    #[schema(example = "bot")]
    kind: &'static str,
    /// Room id; null if the event does not belong to a room.
    room_id: Option<String>,
    /// Time of creation.
    created_at: String,
    /// Headers of the webhook, including signatures.
    headers: Cow<'a, BTreeMap<String, String>>,
    /// Exact body of the webhook.
    body: Cow<'a, str>,
}

/// Returns a webhook with its headers.
pub fn event<'a>(
    id: i64,
    delivery: &'a Delivery,
    headers: &'a BTreeMap<String, String>,
) -> EventShape<'a> {
    EventShape {
        id,
        kind: delivery.kind.as_str(),
        room_id: room_id(delivery.kind, delivery.lane),
        created_at: to_the_microsecond(delivery.created_at),
        headers: Cow::Borrowed(headers),
        body: Cow::Borrowed(&delivery.body),
    }
}

/// Returns a webhook with the secret keys in its body masked. If there were any, signatures are
/// masked as well.
pub fn masked_event<'a>(
    id: i64,
    delivery: &'a Delivery,
    headers: &'a BTreeMap<String, String>,
) -> EventShape<'a> {
    let event = event(id, delivery, headers);
    match masked(&delivery.body) {
        Cow::Borrowed(_) => event,
        body => {
            let shown = headers.iter().map(|(name, value)| {
                let value = if is_signature(name) { MASKED.to_owned() } else { value.clone() };
                (name.clone(), value)
            });
            EventShape { headers: Cow::Owned(shown.collect()), body, ..event }
        }
    }
}

/// Response data with webhooks.
#[derive(Serialize, ToSchema)]
pub struct ListenedWebhooks<'a> {
    /// Webhooks, oldest first.
    pub events: Vec<EventShape<'a>>,
    /// Value of `after` for the next call.
    pub next: i64,
}
