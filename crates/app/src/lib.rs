//! Decisions, actions, provider channels and background tasks of the server.
//!
//! A handler reads from the store or through `queries`, and writes by passing one rule to
//! [`decide`], which commits it in one transaction and then notifies others. Where more is needed
//! (secrets, hashes, requests to a provider, several rules), it calls one of [`actions`]. Nothing
//! here knows HTTP routes or the command line.

pub mod actions;
pub mod apps;
pub mod background;
pub mod channels;
pub mod credentials;
pub mod decide;
pub mod decision_span;
pub mod jobs;
pub mod page_cache;
pub mod process;
pub mod services;
