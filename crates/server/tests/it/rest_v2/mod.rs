//! The older message API, `/api/v2/rest`, as its published clients call it (design/message-api).

mod access;
mod messages;
mod rooms;
mod users;

use reqwest::Method;
use serde_json::Value;

use crate::support::answer::Answer;
use crate::support::caller::{Caller, sent, with_form, with_query};

fn path(call: &str) -> String {
    format!("/api/v2/rest/{call}")
}

/// Posts a form, as the published client in Python does.
async fn post(caller: &Caller, call: &str, fields: &[(&str, &str)]) -> Answer {
    sent(with_form(caller.request(Method::POST, &path(call)), fields)).await
}

async fn post_json(caller: &Caller, call: &str, body: Value) -> Answer {
    caller.post(&path(call), body).await
}

async fn get(caller: &Caller, call: &str, query: &[(&str, &str)]) -> Answer {
    sent(caller.request(Method::GET, &with_query(&path(call), query))).await
}
