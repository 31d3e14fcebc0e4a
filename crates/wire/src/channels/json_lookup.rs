//! Looking into JSON of others: what is missing or of another type is nothing, never an error.
//!
//! Providers write numbers as texts and texts as numbers; both are taken.

use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::json_check::{check_json, hex};

/// A proven body that nobody can read, and why. It is kept and alarmed, and answered 200: the
/// provider would repeat it for days (channel facts 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable(pub &'static str);

/// The text of a body, or why nobody can read it. Half of a surrogate pair, which providers leave
/// where they cut a text, becomes the sign for what cannot be shown: one customer's name must not
/// make the messages of others unreadable.
pub(super) fn readable(raw: &[u8]) -> Result<String, Unreadable> {
    let text = std::str::from_utf8(raw).map_err(|_| Unreadable("is not UTF-8"))?;
    let text = mended(text);
    check_json(&text).map_err(Unreadable)?;
    Ok(text)
}

/// A body as a value.
pub(super) fn parsed(raw: &[u8]) -> Result<Value, Unreadable> {
    value(&readable(raw)?)
}

/// A text as a value.
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
            // The letter behind a backslash is part of the escape.
            _ => 2,
        };
    }
    mended.push_str(&text[copied..]);
    mended
}

/// A text that says something; a number is its digits. The NUL character, which not every store
/// can keep, becomes the sign for what cannot be shown.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.replace('\0', "\u{fffd}")),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The first of these keys that holds a text.
pub(super) fn any_text(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| text(&value[*key]))
}

/// A name for people: one line, no longer than ours.
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

/// The elements of a list; anything else has none.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

/// A moment, given in seconds since 1970.
pub(super) fn at_seconds(value: &Value) -> Option<Timestamp> {
    integer(value).and_then(|seconds| seconds.checked_mul(1_000_000)).map(Timestamp)
}

/// A moment, given in milliseconds.
pub(super) fn at_milliseconds(value: &Value) -> Option<Timestamp> {
    integer(value).and_then(|ms| ms.checked_mul(1_000)).map(Timestamp)
}

/// The key of an event that the provider gave no id: that of its content.
pub(super) fn content_key(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("content:{hex}")
}

/// A value as the JSON it is.
pub(super) fn json(value: &Value) -> JsonText {
    JsonText::from_checked(value.to_string())
}
