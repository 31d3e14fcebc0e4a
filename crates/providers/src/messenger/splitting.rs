//! Splits a webhook into its elements: `entry[] × messaging[]` and the other arrays.

use crate::elements::{fields, items, object, raw};

/// Keys of the arrays of events in a webhook's entries. `standby` contains messages that another
/// app answers; `changes` contains tests sent from Meta's console.
const ARRAYS: [&str; 3] = ["messaging", "standby", "changes"];

/// Returns one webhook body for each element, with the structure of the original body. The time of
/// sending is omitted, because a repeated webhook differs only in it.
pub(super) fn elements(body: &str) -> Vec<String> {
    let body = fields(body);
    let mut found = Vec::new();
    for entry in items(body.get("entry")) {
        let entry = fields(entry.get());
        for key in ARRAYS {
            for element in items(entry.get(key)) {
                let list = format!("[{}]", element.get());
                let entry = object(&[("id", raw(&entry, "id")), (key, Some(&list))]);
                let entries = format!("[{entry}]");
                found.push(object(&[("object", raw(&body, "object")), ("entry", Some(&entries))]));
            }
        }
    }
    found
}
