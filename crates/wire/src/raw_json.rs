//! Checked JSON text, written verbatim into responses and webhooks.

use std::sync::LazyLock;

use confab_domain::json_text::JsonText;
use serde_json::value::RawValue;

/// Returns stored JSON text as a raw value. Stored text is always valid, so `null` is never used.
pub(crate) fn raw(json: &JsonText) -> &RawValue {
    serde_json::from_str(json.as_str()).unwrap_or(RawValue::NULL)
}

/// Returns the options of a room, or `{}` if it has none, because clients parse them as JSON.
pub(crate) fn options_of(options: &str) -> &str {
    if options.is_empty() { "{}" } else { options }
}

/// Returns the JSON text `{}`.
pub(crate) fn empty() -> &'static RawValue {
    static EMPTY: LazyLock<Box<RawValue>> =
        LazyLock::new(|| RawValue::from_string("{}".to_owned()).unwrap_or_default());
    &EMPTY
}
