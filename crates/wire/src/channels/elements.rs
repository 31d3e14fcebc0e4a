//! Splits the arrays of a provider's JSON into their elements.
//!
//! Elements are stored as the received text, because parsing and writing a number may change it.
//! Each element is wrapped in an envelope like the original one, so that the same code reads it
//! again.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Returns the fields of an object; empty if the value is not an object.
pub(super) fn fields(json: &str) -> BTreeMap<String, &RawValue> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns the elements of a list; empty if the value is not a list.
pub(super) fn items<'a>(json: Option<&&'a RawValue>) -> Vec<&'a RawValue> {
    json.and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default()
}

/// Writes an object with these fields, omitting absent ones.
pub(super) fn object(fields: &[(&str, Option<&str>)]) -> String {
    let field = |(key, json): &(&str, Option<&str>)| json.map(|json| format!("\"{key}\":{json}"));
    let fields: Vec<_> = fields.iter().filter_map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// Returns the JSON text of a field.
pub(super) fn raw<'a>(fields: &BTreeMap<String, &'a RawValue>, key: &str) -> Option<&'a str> {
    fields.get(key).map(|json| json.get())
}
