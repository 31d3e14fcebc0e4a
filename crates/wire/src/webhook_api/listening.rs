//! Listening: webhooks as they are made, for somebody who has no public address.

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
    /// `GET /listen`
    pub struct ListenFields {
        /// `next` of the call before; without it, from now on.
        after: NextEvent, optional;
        /// How long to wait for something to happen.
        wait_seconds: Within<0, WAIT_MAX_S>, or WAIT_MAX_S, default = || WAIT_MAX_S.into();
    }
}

field! {
    /// A cursor that is given as a number.
    NextEvent -> i64, Integer::SHAPE;
    |reading, field, given| Cursor::read(reading, field, given)
}

/// Somebody listens.
#[derive(Debug, PartialEq, Eq)]
pub struct Listen {
    /// What they heard last.
    pub after: Option<i64>,
    /// How long they wait.
    pub wait_s: u64,
}

impl Listen {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ListenFields { after, wait_seconds } = query.read()?;
        Ok(Self { after, wait_s: wait_seconds.into() })
    }
}

/// A webhook as it would be sent. Who shows the secret key gets the bytes that its signature is
/// over; who signed in gets keys masked, and then the signatures, too.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub struct EventShape<'a> {
    /// Greater than that of every earlier one.
    id: i64,
    /// What it tells of.
    #[schema(example = "bot")]
    kind: &'static str,
    /// The room; null where a notice is of none.
    room_id: Option<String>,
    /// When it was made.
    created_at: String,
    /// The headers that a receiver gets, signatures included.
    headers: Cow<'a, BTreeMap<String, String>>,
    /// The body that a receiver gets, byte for byte.
    body: Cow<'a, str>,
}

/// A webhook with its headers.
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

/// The same with keys masked (D-0138). The signature of a body that is not shown is not shown
/// either.
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

/// What a listener hears.
#[derive(Serialize, ToSchema)]
pub struct Heard<'a> {
    /// The oldest first.
    pub events: Vec<EventShape<'a>>,
    /// Call again with `after` set to this.
    pub next: i64,
}
