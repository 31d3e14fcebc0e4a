//! Writes, queries, deliveries, realtime and background tasks of the server.
//!
//! A handler reads from the store itself, and writes by passing one rule to `Services::decide`,
//! which commits it in one transaction and then notifies others. Where more is needed (secrets,
//! hashes, requests to a provider, several rules), it calls one of [`actions`]. Nothing here knows
//! HTTP routes or the command line.

pub mod actions;
pub mod admission;
pub mod apns;
pub mod background;
pub mod bus;
pub mod channels;
pub mod clock;
pub mod config;
pub mod counted;
pub mod credentials;
pub mod decide;
pub mod decision_span;
pub mod delivery;
pub mod failures;
pub mod files;
pub mod ids;
pub mod jobs;
pub mod metric_descriptions;
pub mod origin;
pub mod page_cache;
pub mod process;
pub mod queries;
pub mod realtime;
pub mod recorder;
pub mod services;
pub mod supervisor;
pub mod traces;

pub use clock::SystemStamps;
