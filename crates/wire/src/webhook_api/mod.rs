//! The webhook API (design/webhooks): endpoints, deliveries, and tests of webhooks.

pub mod deliveries;
pub mod endpoints;
pub mod listening;
pub mod masking;
pub mod triggering;
pub mod verifying;

#[cfg(test)]
mod tests;

use confab_domain::ids::{EndpointId, ID_END, RoomId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{DeliveryState, ErrorClass};
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fields::field;
use crate::reading::{FieldJson, FieldReader};

/// A successful response: `{data, status}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Data<T> {
    /// Result of the call.
    pub data: T,
    /// HTTP status, always 200.
    #[schema(example = 200)]
    pub status: u16,
}

/// Wraps a result into the body of a successful response.
pub fn data<T>(data: T) -> Data<T> {
    Data { data, status: 200 }
}

field! {
    /// A kind of event; an empty string means absent.
    Kind -> EventKind;
    |reading, field, given| {
        let names = EventKind::ALL.map(EventKind::as_str);
        read_word(reading, field, given, EventKind::parse, &names)
    }
}

field! {
    /// The state of a delivery; an empty string means absent.
    StandingWord -> DeliveryState;
    |reading, field, given| {
        let names = DeliveryState::ALL.map(DeliveryState::as_str);
        read_word(reading, field, given, DeliveryState::parse, &names)
    }
}

field! {
    /// The error class of an attempt; an empty string means absent.
    ErrorWord -> ErrorClass;
    |reading, field, given| {
        let names = ErrorClass::ALL.map(ErrorClass::as_str);
        read_word(reading, field, given, ErrorClass::parse, &names)
    }
}

/// Parses one of `words`; an empty string means absent.
fn read_word<T>(
    reading: &mut FieldReader,
    field: &str,
    given: FieldJson<'_>,
    parse: impl Fn(&str) -> Option<T>,
    words: &[&str],
) -> Option<T> {
    let text = reading.filled_text(field, given)?;
    let value = parse(&text);
    value.or_else(|| reading.wrong(field, format!("must be one of {}", words.join(", "))))
}

field! {
    /// A room id; an empty string means absent.
    RoomInteger -> RoomId;
    |reading, field, given| {
        read_id(reading, field, given, "must be the integer id of a room").map(RoomId)
    }
}

field! {
    /// An endpoint id; an empty string means absent.
    EndpointInteger -> EndpointId;
    |reading, field, given| {
        read_id(reading, field, given, "must be the id of an endpoint").map(EndpointId)
    }
}

field! {
    /// The position of a page: `next` of an earlier call.
    Cursor -> i64;
    |reading, field, given| read_id(reading, field, given, "must be the next of an earlier call")
}

fn read_id(
    reading: &mut FieldReader,
    field: &str,
    given: FieldJson<'_>,
    problem: &'static str,
) -> Option<i64> {
    let text = reading.key(field, given).filter(|text| !text.is_empty())?;
    let id = text.parse().ok().filter(|id| (0..ID_END).contains(id));
    id.or_else(|| reading.wrong(field, problem))
}

field! {
    /// A time; an empty string means absent.
    Time -> Timestamp;
    |reading, field, given| {
        match reading.filled_text(field, given)?.parse::<jiff::Timestamp>() {
            Ok(time) => Some(Timestamp(time.as_microsecond())),
            Err(_) => reading.wrong(field, "must be a time such as 2026-01-31T10:00:00Z"),
        }
    }
}
