//! A webhook into its elements: `entry[] × messaging[]`, and the other arrays beside.

use crate::channels::elements::{fields, items, object, raw};

/// `standby` is what another app answers; `changes` are the console's tests.
const ARRAYS: [&str; 3] = ["messaging", "standby", "changes"];

/// Each element in an envelope of its own. When it was sent is left out: a repetition differs by
/// that alone.
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
