//! Deliveries on their way: from the commit that made them to the receiver that has them.
//!
//! Started by `background`. [`engine`] takes deliveries from the store, [`lanes`] says which may be
//! tried now, [`attempting`] reads one, hands it to one of the [`carriers`] (signed, by `outbound`)
//! and records what became of it, [`health`] keeps how its endpoint is. [`holding`]
//! knows which part of them is this node's. For the webhook API, [`finding`] looks through an app's
//! deliveries and [`listeners`] hands new ones to whoever listens. [`turns`] keeps the order of one
//! cause among several receivers.
//!
//! Promises: what was committed is tried until it is delivered or given up; of one lane one at a
//! time, in order; what was written down as delivered is not sent again; a receiver that hangs
//! delays nobody else, but what the same cause tells after it, by half a second. Never: a body made
//! anew, a delivery sent from a bucket that is not ours.

pub(crate) mod attempting;
pub(crate) mod carriers;
pub(crate) mod engine;
pub(crate) mod finding;
pub(crate) mod listeners;
pub(crate) mod liveness;
pub(crate) mod our_buckets;
pub(crate) mod task;
pub(crate) mod wake;

mod addresses;
mod attempt_span;
mod bucket_leases;
mod cause_order;
mod health;
mod lanes;
mod monotonic_clock;
mod pace;
mod persistence;

#[cfg(test)]
mod tests;
