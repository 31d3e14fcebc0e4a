//! What the server does: writes, queries, deliveries, realtime and background tasks.
//!
//! A handler reads from the store itself, and writes by passing one rule to `Services::decide`,
//! which commits it in one transaction and then notifies others. Where more is needed (secrets,
//! hashes, requests to a provider, several rules), it calls one of [`actions`]. Nothing here knows
//! HTTP routes or the command line.

pub mod actions;
pub mod activity;
pub mod address_file;
pub mod allocation;
pub mod apns;
pub mod background;
pub mod body_memory;
pub mod bus;
pub mod channels;
pub mod clock;
pub mod config;
pub mod connections;
pub mod counted;
pub mod decide;
pub mod decision_span;
pub mod delivery;
pub mod draining;
pub mod failures;
pub mod file_removal;
pub mod files;
pub mod hook_proofs;
pub mod identity_tokens;
pub mod idling;
pub mod ids;
pub mod indexing;
pub mod known_devices;
pub mod logging;
pub mod memory;
pub mod metric_descriptions;
pub mod open_files;
pub mod origin;
pub mod page_cache;
pub mod panics;
pub mod passwords;
pub mod peer;
pub mod private_files;
pub mod queries;
pub mod quotas;
pub mod rate_limits;
pub mod realtime;
pub mod realtime_tickets;
pub mod recorder;
pub mod response_backpressure;
pub mod running_requests;
pub mod secrets_file;
pub mod services;
pub mod shares;
pub mod sign_in_limits;
pub mod start;
pub mod supervisor;
pub mod tls;
pub mod token_exchange;
pub mod traces;
pub mod unproven_uploads;

pub use clock::SystemStamps;
