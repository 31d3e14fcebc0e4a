//! Attacks by outsiders, or on the availability of the server. Each test is an attack that once
//! worked.

mod access;
mod answers;
mod disk;
mod load;
mod webhook_targets;

use serde_json::Value;

use crate::support::answer::Answer;
use crate::support::caller::Caller;
use crate::support::office::Office;

/// Posts a request with the app's secret key.
async fn with_key(caller: &Caller, path: &str, body: Value) -> Answer {
    Office::of(caller).post(path, body).await
}

/// Changes the app's security settings.
async fn set(caller: &Caller, wanted: Value) -> Answer {
    with_key(caller, "/api/v2/app/config/security", wanted).await
}
