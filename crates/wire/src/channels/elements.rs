//! The elements of a provider's arrays, each as JSON of its own.
//!
//! What is stored of an element is the text that came: a number that is parsed and written anew
//! may be another. An element is put into an envelope like the one it came in, so that it is read
//! again by the same code.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The fields of an object; anything else has none.
pub(super) fn fields(json: &str) -> BTreeMap<String, &RawValue> {
    serde_json::from_str(json).unwrap_or_default()
}

/// The elements of a list; anything else has none.
pub(super) fn items<'a>(json: Option<&&'a RawValue>) -> Vec<&'a RawValue> {
    json.and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default()
}

/// An object of these fields, without those that are absent.
pub(super) fn object(fields: &[(&str, Option<&str>)]) -> String {
    let field = |(key, json): &(&str, Option<&str>)| json.map(|json| format!("\"{key}\":{json}"));
    let fields: Vec<_> = fields.iter().filter_map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// The text of a field.
pub(super) fn raw<'a>(fields: &BTreeMap<String, &'a RawValue>, key: &str) -> Option<&'a str> {
    fields.get(key).map(|json| json.get())
}
