//! Listening: webhooks as they are made, for somebody who has no public address.

use std::collections::BTreeMap;

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::Delivery;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::deliveries::room_id;
use super::{read_id, read_within};
use crate::body::Body;
use crate::reading::{Given, Reading};
use crate::time::to_the_microsecond;

/// `GET /listen`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListenFields<'a> {
    /// `next` of the call before; without it, from now on.
    #[param(value_type = Option<i64>)]
    #[serde(borrow, default)]
    after: Given<'a>,
    /// How long to wait for something to happen.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 25, default = 25)]
    #[serde(default)]
    wait_seconds: Given<'a>,
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
        let fields: ListenFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let problem = "must be the next of an earlier answer";
        let after = read_id(&mut reading, "after", fields.after, problem);
        let most = limits::LISTEN_WAIT_MAX_S as u32;
        let wait_s = read_within(&mut reading, "wait_seconds", fields.wait_seconds, 0, most);
        reading.finish()?;
        Ok(Self { after, wait_s: wait_s.map_or(limits::LISTEN_WAIT_MAX_S, u64::from) })
    }
}

/// A webhook as it would be sent. It is not masked: its signature is over these bytes.
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
    headers: &'a BTreeMap<String, String>,
    /// The body that a receiver gets, byte for byte.
    body: &'a str,
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
        headers,
        body: &delivery.body,
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
