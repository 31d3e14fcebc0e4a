//! Splits a webhook into its elements: `entry[] × changes[] × messages[]` and the other arrays.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::elements::{fields, items, object, raw};
use crate::json_lookup;

/// Keys of the arrays in a webhook's change whose elements are events.
const ARRAYS: [&str; 5] = ["messages", "message_echoes", "statuses", "errors", "user_id_update"];

/// Returns one webhook body for each element, with the structure of the original body and the
/// element's contact.
pub(super) fn elements(body: &str) -> Vec<String> {
    let body = fields(body);
    let mut found = Vec::new();
    for entry in items(body.get("entry")) {
        let entry = fields(entry.get());
        for change in items(entry.get("changes")) {
            let change = fields(change.get());
            let value = raw(&change, "value").unwrap_or("null");
            for value in values(value) {
                let change = object(&[("field", raw(&change, "field")), ("value", Some(&value))]);
                let changes = format!("[{change}]");
                let entry = object(&[("id", raw(&entry, "id")), ("changes", Some(&changes))]);
                let entries = format!("[{entry}]");
                found.push(object(&[("object", raw(&body, "object")), ("entry", Some(&entries))]));
            }
        }
    }
    found
}

/// Returns a copy of a change's value for each element, or only the unchanged value if it has none
/// of the arrays.
fn values(value: &str) -> Vec<String> {
    let known = fields(value);
    if !ARRAYS.iter().any(|key| known.contains_key(*key)) {
        return vec![value.to_owned()];
    }
    let mut found = Vec::new();
    for key in ARRAYS {
        let elements = items(known.get(key));
        let is_alone = elements.len() == 1;
        for element in elements {
            let list = format!("[{}]", element.get());
            let contacts = contacts_of(&known, element, is_alone);
            found.push(object(&[
                ("messaging_product", raw(&known, "messaging_product")),
                ("metadata", raw(&known, "metadata")),
                ("contacts", contacts.as_deref()),
                (key, Some(&list)),
            ]));
        }
    }
    found
}

/// Returns the contact of an element as a list. Contacts are matched to elements by id, not by
/// position (channel facts 3.2).
fn contacts_of(
    known: &BTreeMap<String, &RawValue>,
    element: &RawValue,
    is_alone: bool,
) -> Option<String> {
    let contacts = items(known.get("contacts"));
    let element = json_lookup::value(element.get()).unwrap_or(Value::Null);
    let of_element = ["from", "from_user_id", "recipient_id", "recipient_user_id"]
        .map(|key| json_lookup::text(&element[key]));
    let is_same = |contact: &&&RawValue| {
        let contact = json_lookup::value(contact.get()).unwrap_or(Value::Null);
        let ids = ["wa_id", "user_id"].map(|key| json_lookup::text(&contact[key]));
        ids.iter().flatten().any(|id| of_element.iter().flatten().any(|of| of == id))
    };
    let only = contacts.first().filter(|_| is_alone && contacts.len() == 1);
    let contact = contacts.iter().find(is_same).or(only)?;
    Some(format!("[{}]", contact.get()))
}
