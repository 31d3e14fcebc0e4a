//! Attacks by outsiders, or on the availability of the server. Each test is an attack that once
//! worked.

mod answers;
mod at_rest;
mod bit_rot;
mod chosen_agents;
mod customers_tokens;
mod early_answers;
mod file_modes;
mod forged_hooks;
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
mod searches;
mod silent_connections;
mod uploads;
mod webhook_targets;
mod widget_visitors;

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
