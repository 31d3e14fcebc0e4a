//! The Confab server: commands, HTTP API, and the actions and background tasks behind them.
//!
//! Dependencies between modules: `commands` starts everything; `http` translates requests. A
//! handler reads from the store itself, and writes by passing one rule to `Services::decide`, which
//! commits it in one transaction and then notifies others. Where more is needed (secrets, hashes,
//! requests to a provider, several rules), it calls one of `actions`. Only the code that starts
//! `http` imports it.

// Imports that only API descriptions need stay unused without the feature.
#![cfg_attr(not(feature = "document"), allow(unused_imports))]

pub mod background;
pub mod commands;
pub mod config;
pub mod connections;
pub mod http;
pub mod services;

mod actions;
mod activity;
mod address_file;
mod allocation;
mod apns;
mod body_memory;
mod bus;
mod channels;
mod clock;
mod counted;
mod decide;
mod decision_span;
mod delivery;
mod draining;
mod failures;
mod file_removal;
mod files;
mod hook_proofs;
mod identity_tokens;
mod idling;
mod ids;
mod indexing;
mod known_devices;
pub mod logging;
mod memory;
mod metric_descriptions;
pub mod open_files;
mod origin;
mod page_cache;
mod panics;
mod passwords;
mod peer;
mod private_files;
mod queries;
mod quotas;
mod rate_limits;
mod realtime;
mod realtime_tickets;
mod recorder;
mod response_backpressure;
mod running_requests;
pub mod secrets_file;
mod shares;
mod sign_in_limits;
mod start;
mod supervisor;
mod tls;
mod token_exchange;
mod traces;
mod unproven_uploads;

pub use channels::mail::lmtp::serve as serve_lmtp;
pub use clock::SystemStamps;
pub use realtime::mqtt::serve as serve_mqtt;
