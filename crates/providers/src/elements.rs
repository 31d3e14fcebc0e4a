//! Splits the arrays of a provider's JSON into their elements.
//!
//! Each element is stored as the text that was received, because parsing and serializing a number
//! may change it. The element is wrapped in the same JSON structure as in the original body, so
//! that the same parser can read it later.

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

/// Serializes a JSON object with these fields, omitting those that are `None`.
pub(super) fn object(fields: &[(&str, Option<&str>)]) -> String {
    let field = |(key, json): &(&str, Option<&str>)| json.map(|json| format!("\"{key}\":{json}"));
    let fields: Vec<_> = fields.iter().filter_map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// Returns the JSON text of a field.
pub(super) fn raw<'a>(fields: &BTreeMap<String, &'a RawValue>, key: &str) -> Option<&'a str> {
    fields.get(key).map(|json| json.get())
}
