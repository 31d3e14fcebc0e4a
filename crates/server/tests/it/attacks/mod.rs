//! What somebody tries who does not belong here, or wants to bring the server down. Each test is an
//! attack that once worked.

mod answers;
mod at_rest;
mod bit_rot;
mod chosen_agents;
mod early_answers;
mod file_modes;
mod full_disk;
mod half_requests;
mod held_requests;
mod log_ins;
mod mqtt_sessions;
mod open_doors;
mod pages;
mod quotas;
mod realms;
mod realtime_tickets;
mod rights;
mod silent_connections;
mod uploads;
mod webhook_targets;
mod widget_visitors;

use reqwest::Method;
use serde_json::Value;

use crate::answer::Answer;
use crate::caller::{Caller, sent};

/// A call with the app's secret key.
async fn with_key(caller: &Caller, path: &str, body: Value) -> Answer {
    let request = caller
        .bare(Method::POST, path)
        .header("SERVICE-App-Id", &caller.code)
        .header("SERVICE-Secret-Key", format!("secret-key-of-{}", caller.code))
        .header("Content-Type", "application/json");
    sent(request.body(body.to_string())).await
}

/// Sets what strangers may do.
async fn set(caller: &Caller, wanted: Value) -> Answer {
    with_key(caller, "/api/v2/app/config/security", wanted).await
}
