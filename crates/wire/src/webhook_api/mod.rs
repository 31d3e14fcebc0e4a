//! The webhook API (D-0032): where an app is told, what was told, and trying it out.

pub mod deliveries;
pub mod endpoints;
pub mod listening;
pub mod masking;
pub mod triggering;

#[cfg(test)]
mod tests;

use confab_domain::ids::{DeliveryId, ID_END, RoomId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{ErrorClass, Standing, Wanted};
use confab_domain::webhooks::notice_kind::NoticeKind;
use serde::Serialize;
use utoipa::ToSchema;

use crate::reading::{Given, Reading};

/// Every success answer: `{data, status}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Data<T> {
    /// What was asked for.
    pub data: T,
    /// Always 200.
    #[schema(example = 200)]
    pub status: u16,
}

/// Wraps what was asked for.
pub fn data<T>(data: T) -> Data<T> {
    Data { data, status: 200 }
}

fn read_kind(reading: &mut Reading, given: Given<'_>) -> Option<NoticeKind> {
    let names = NoticeKind::ALL.map(NoticeKind::as_str);
    read_word(reading, "kind", given, NoticeKind::parse, &names)
}

/// One of a few words; an empty text counts as missing.
fn read_word<T>(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    parse: impl Fn(&str) -> Option<T>,
    words: &[&str],
) -> Option<T> {
    let text = reading.filled_text(field, given)?;
    match parse(&text) {
        Some(value) => Some(value),
        None => reading.wrong(field, format!("must be one of {}", words.join(", "))),
    }
}

/// An integer within bounds.
fn read_within(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    least: u32,
    most: u32,
) -> Option<u32> {
    let number = reading.integer(field, given)?;
    match u32::try_from(number).ok().filter(|number| (least..=most).contains(number)) {
        Some(number) => Some(number),
        None => reading.wrong(field, format!("must be an integer from {least} to {most}")),
    }
}

/// Where another page begins.
fn read_cursor(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<DeliveryId> {
    read_id(reading, field, given, "must be the next of an earlier answer").map(DeliveryId)
}

fn read_id(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    problem: &'static str,
) -> Option<i64> {
    let text = reading.key(field, given).filter(|text| !text.is_empty())?;
    match text.parse().ok().filter(|id| (0..ID_END).contains(id)) {
        Some(id) => Some(id),
        None => reading.wrong(field, problem),
    }
}

fn read_time(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Timestamp> {
    let text = reading.filled_text(field, given)?;
    match text.parse::<jiff::Timestamp>() {
        Ok(time) => Some(Timestamp(time.as_microsecond())),
        Err(_) => reading.wrong(field, "must be a time such as 2026-01-31T10:00:00Z"),
    }
}

/// The fields that say which deliveries are wanted.
struct WantedFields<'a> {
    kind: Given<'a>,
    standing: Given<'a>,
    error: Given<'a>,
    room_id: Given<'a>,
    from: Given<'a>,
    until: Given<'a>,
}

/// Reads which deliveries are wanted; problems are noted.
fn read_wanted(reading: &mut Reading, fields: &WantedFields<'_>) -> Wanted {
    let standings = Standing::ALL.map(Standing::as_str);
    let errors = ErrorClass::ALL.map(ErrorClass::as_str);
    let standing = read_word(reading, "standing", fields.standing, Standing::parse, &standings);
    let room = read_id(reading, "room_id", fields.room_id, "must be the integer of a room");
    Wanted {
        kind: read_kind(reading, fields.kind),
        standing,
        error: read_word(reading, "error", fields.error, ErrorClass::parse, &errors),
        room: room.map(RoomId),
        from: read_time(reading, "from", fields.from),
        until: read_time(reading, "until", fields.until),
    }
}
