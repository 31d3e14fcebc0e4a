//! Deliveries on their way: which may be tried now, at what pace, and how one is sent.
//!
//! [`engine`] takes them from the store, [`lanes`] says which may be tried now, [`sending`] tries
//! one through `outbound`. Being built: `serve` does not start it yet, because nothing makes
//! deliveries yet. What is still to come: leases of buckets for several nodes, notices of endpoints
//! that fail, retention.

#![allow(dead_code, reason = "not started by `serve` yet")]

mod addresses;
mod attempting;
mod engine;
mod holding;
mod lanes;
mod pace;
mod pulse;
mod sending;
mod steady;

#[cfg(test)]
mod tests;
