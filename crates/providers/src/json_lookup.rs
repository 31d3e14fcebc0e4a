//! Lenient access to JSON of providers: a value that is missing or has another type is `None`,
//! never an error.
//!
//! Providers send numbers as strings and strings as numbers; both are accepted.

use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

use confab_domain::json_check::{check_json, hex};

/// Reason why the body of an authenticated webhook cannot be parsed. Such a body is stored,
/// reported as an alarm, and answered with status 200, because the provider would otherwise repeat
/// the webhook for days (channel facts 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable(pub &'static str);

/// Returns a request body as text, after checking its JSON. A lone surrogate, which remains when a
/// provider truncates a text, is replaced by U+FFFD, so that one customer's name does not make the
/// whole webhook unreadable.
pub(super) fn readable(raw: &[u8]) -> Result<String, Unreadable> {
    let text = std::str::from_utf8(raw).map_err(|_| Unreadable("is not UTF-8"))?;
    let text = mended(text);
    check_json(&text).map_err(Unreadable)?;
    Ok(text)
}

/// Checks and parses the JSON of a request body.
pub(super) fn parsed(raw: &[u8]) -> Result<Value, Unreadable> {
    value(&readable(raw)?)
}

/// Parses a JSON text.
pub(super) fn value(text: &str) -> Result<Value, Unreadable> {
    serde_json::from_str(text).map_err(|_| Unreadable("is not JSON"))
}

fn mended(text: &str) -> String {
    let unit = |at: usize| match text.as_bytes().get(at..at + 2) {
        Some(b"\\u") => hex(text.as_bytes(), at + 2, 4),
        _ => None,
    };
    let (mut mended, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        at += match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                mended.push_str(&text[copied..at]);
                mended.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            // The character after a backslash belongs to the escape.
            _ => 2,
        };
    }
    mended.push_str(&text[copied..]);
    mended
}

/// Returns a non-empty string, or a number as a string. NUL characters are replaced by U+FFFD,
/// because not every database can store them.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.replace('\0', "\u{fffd}")),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the text of the first of these keys that has one.
pub(super) fn any_text(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| text(&value[*key]))
}

/// Returns a display name: one line, truncated to `NAME_CHARS_MAX` characters.
pub(super) fn name(value: &Value) -> Option<String> {
    let name: String = text(value)?.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

const NAME_CHARS: usize = confab_domain::limits::NAME_CHARS_MAX;

pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn size(value: &Value) -> Option<u64> {
    integer(value).and_then(|size| u64::try_from(size).ok())
}

pub(super) fn number_within(value: &Value, most: f64) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.abs() <= most)
}

/// Returns the elements of a list; empty if the value is not a list.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

/// Returns a time given in seconds since 1970.
pub(super) fn at_seconds(value: &Value) -> Option<Timestamp> {
    integer(value).and_then(|seconds| seconds.checked_mul(1_000_000)).map(Timestamp)
}

/// Returns a time given in milliseconds since 1970.
pub(super) fn at_milliseconds(value: &Value) -> Option<Timestamp> {
    integer(value).and_then(|ms| ms.checked_mul(1_000)).map(Timestamp)
}

/// Returns the key of an event without an id: a hash of its content.
pub(super) fn content_key(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("content:{hex}")
}

/// Converts a value to JSON text.
pub(super) fn json(value: &Value) -> JsonText {
    JsonText::from_checked(value.to_string())
}
