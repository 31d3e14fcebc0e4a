//! Checked JSON text, written into answers and webhooks as the JSON it is.

use std::sync::LazyLock;

use confab_domain::json_text::JsonText;
use serde_json::value::RawValue;

/// A checked text as the JSON it is; nothing stored fails here.
pub(crate) fn raw(json: &JsonText) -> &RawValue {
    serde_json::from_str(json.as_str()).unwrap_or(RawValue::NULL)
}

/// The options of a room; clients read them as JSON, so one without any has `{}`.
pub(crate) fn options_of(options: &str) -> &str {
    if options.is_empty() { "{}" } else { options }
}

/// `{}`
pub(crate) fn empty() -> &'static RawValue {
    static EMPTY: LazyLock<Box<RawValue>> =
        LazyLock::new(|| RawValue::from_string("{}".to_owned()).unwrap_or_default());
    &EMPTY
}
