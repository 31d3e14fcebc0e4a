//! Detects misspelled field names.

use super::parts::FieldShape;

/// Field names of the message API and its older version that resemble each other. They are never
/// treated as misspelled; like other unknown fields, they are ignored.
const OTHER_NAMES: [&str; 14] = [
    "email",
    "emails",
    "id",
    "name",
    "room_channel_id",
    "room_channel_ids",
    "room_id",
    "room_ids",
    "unique_id",
    "unique_ids",
    "user_email",
    "user_emails",
    "user_id",
    "user_ids",
];

/// Returns the position of the field that an unknown name most likely means.
pub(super) fn meant(name: &str, fields: &[&'static FieldShape]) -> Option<usize> {
    if OTHER_NAMES.contains(&name) {
        return None;
    }
    let name = plain(name);
    fields.iter().position(|field| {
        let field = plain(field.name);
        let most = if field.len() < 8 { 1 } else { 2 };
        // Short names resemble too many others.
        field.len() >= 4 && field.len().abs_diff(name.len()) <= most && edits(&name, &field) <= most
    })
}

/// Returns a name in lower case without separators, so that `roomName` equals `room_name`.
fn plain(name: &str) -> Vec<u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
}

/// Returns the edit distance of two names, where swapping two adjacent letters counts as one edit.
fn edits(one: &[u8], two: &[u8]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in two.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == two[j - 1] && one[i - 1] == *b {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message_api::comments::PostCommentFields;
    use crate::request::Request;
    use crate::request::parts::shapes;

    fn meant_in_a_post(name: &str) -> Option<&'static str> {
        let fields = shapes(PostCommentFields::PARTS);
        meant(name, &fields).map(|at| fields[at].name)
    }

    #[test]
    fn a_misspelled_name_is_recognized() {
        let misspelled = [
            ("extra", "extras"),
            ("paylod", "payload"),
            ("tyep", "type"),
            ("uniqueTempId", "unique_temp_id"),
            ("unique_tmp_id", "unique_temp_id"),
            ("mesage", "message"),
        ];
        for (name, expected) in misspelled {
            assert_eq!(meant_in_a_post(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn other_unknown_names_are_not_taken_for_misspellings() {
        for name in ["token", "topic_id", "comment", "name", "room_ids", "user_ids", "text", "x"] {
            assert_eq!(meant_in_a_post(name), None, "{name}");
        }
    }
}
