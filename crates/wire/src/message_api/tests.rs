//! Requests and responses of the message API (spec 4.1, wire facts 3).

mod answers;
mod broadcasting;
mod deleting;
mod loading;
mod posting;
mod posting_encodings;
mod rooms;
mod system_events;
mod users;

use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;

use crate::body::Body;

/// Parses a JSON body.
fn json(text: &str) -> Body<'_> {
    Body::from_json(text.as_bytes()).expect("JSON")
}

/// Parses an urlencoded body or a query.
fn form(text: &str) -> Body<'static> {
    Body::from_form(text.as_bytes()).expect("a form")
}

/// Returns the parsed value, or one sentence per invalid field.
fn parsed<T>(read: Result<T, Refusal>) -> Result<T, Vec<String>> {
    read.map_err(|refusal| match refusal {
        Refusal::Invalid(problems) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("parsing must only report invalid fields, not: {other}"),
    })
}

fn ref_texts(users: &[UserRef]) -> Vec<&str> {
    users.iter().map(UserRef::as_str).collect()
}

fn user_texts(users: &[UserId]) -> Vec<&str> {
    users.iter().map(UserId::as_str).collect()
}
