//! Validation of imported values as fields of API requests, so that the limits of the API apply.
//!
//! The text of a problem is the end of a sentence, to which the caller adds the number of the line.

use confab_domain::ids::{ID_END, ID_EPOCH_MS, ID_LOW_BITS, SessionId};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::payload::Payload;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::time::Timestamp;
use serde_json::value::RawValue;

use crate::fields::kind::Field;
use crate::payload;
use crate::reading::{FieldJson, FieldReader, json_string};

/// Validates a text like a request field of the kind `K`.
pub(super) fn text<K: Field>(field: &str, given: &str) -> Result<K::Value, String> {
    read::<K>(field, FieldJson::of_text(&json_string(given)))
}

/// Validates an optional text like a request field of the kind `K`.
pub(super) fn maybe_text<K: Field>(
    field: &str,
    given: Option<String>,
) -> Result<Option<K::Value>, String> {
    given.map(|given| text::<K>(field, &given)).transpose()
}

/// Validates optional JSON like a request field of the kind `K`. `null` counts as missing.
pub(super) fn json<K: Field>(
    field: &str,
    given: Option<Box<RawValue>>,
) -> Result<Option<K::Value>, String> {
    let given = given.filter(|it| it.get() != "null").map(|it| unchecked(&it));
    given.map(|given| read::<K>(field, FieldJson::of(&given))).transpose()
}

/// Converts JSON that the caller checks later, together with other values.
pub(super) fn unchecked(given: &RawValue) -> JsonText {
    JsonText::from_checked(given.get())
}

fn read<K: Field>(field: &str, given: FieldJson<'_>) -> Result<K::Value, String> {
    let mut reading = FieldReader::default();
    let value = K::read(&mut reading, field, given);
    outcome(reading, field, value)
}

/// Returns the value, or the problems that were found.
fn outcome<T>(mut reading: FieldReader, field: &str, value: Option<T>) -> Result<T, String> {
    let value = reading.needed(field, value);
    let refused = |refusal| format!("is wrong: {refusal}");
    match value {
        Some(value) => reading.finish().map(|()| value).map_err(refused),
        None => Err(refused(reading.refusal())),
    }
}

/// Checks that the text and the payload of a stored message fit each other and the limits of the
/// API.
pub(super) fn content(
    kind: MessageKind,
    text: &str,
    payload: Option<&JsonText>,
) -> Result<Payload, String> {
    let mut reading = FieldReader::default();
    if text.contains('\0') {
        return Err("is wrong: text must not contain the NUL character".to_owned());
    }
    let read = payload::read_stored(&mut reading, kind, payload, text);
    outcome(reading, "payload", read)
}

/// Parses a time. It must not be before 1970 or later than `now`, apart from a tolerance for
/// differing clocks.
pub(super) fn time(field: &str, given: &str, now: Timestamp) -> Result<Timestamp, String> {
    let read = given.parse::<jiff::Timestamp>();
    let read = read.map_err(|_| format!("has a {field} that is not a time such as {SUCH}"))?;
    let time = Timestamp(read.as_microsecond());
    match (0..=latest(now).0).contains(&time.0) {
        true => Ok(time),
        false => Err(format!("has a {field} before 1970 or in the future")),
    }
}

const SUCH: &str = "2026-01-31T10:00:00Z";

pub(super) fn maybe_time(
    field: &str,
    given: Option<String>,
    now: Timestamp,
) -> Result<Option<Timestamp>, String> {
    given.map(|given| time(field, &given, now)).transpose()
}

/// Parses a session id. An id contains its creation time and must be less than those of later
/// sessions of its room, so an id with a creation time in the future is refused.
pub(super) fn session(given: i64, now: Timestamp) -> Result<SessionId, String> {
    let made_at_ms = (given >> ID_LOW_BITS) + ID_EPOCH_MS;
    let is_id = (1..ID_END).contains(&given) && made_at_ms <= latest(now).unix_ms();
    is_id.then_some(SessionId(given)).ok_or_else(|| "has an invalid id".to_owned())
}

fn latest(now: Timestamp) -> Timestamp {
    Timestamp(now.0 + limits::IMPORT_CLOCK_AHEAD_MAX_S * 1_000_000)
}

/// Parses the unique id of a message.
pub(super) fn unique_id(field: &str, given: &str) -> Result<UniqueId, String> {
    UniqueId::parse_stored(field, given).map_err(|problem| format!("is wrong: {problem}"))
}
