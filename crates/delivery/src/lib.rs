//! Delivery of committed events to endpoints, phones and providers.
//!
//! `background` starts the [`engine`]. It reads due deliveries from the store, [`lanes`] schedules
//! them, [`attempting`] runs one attempt with one of the [`carriers`] and records its result, and
//! [`health`] records the state of endpoints. [`bucket_leases`] tracks which buckets this node has
//! leased. [`cause_order`] keeps the deliveries of one cause in order across endpoints. For the
//! webhook API, [`finding`] lists an app's deliveries and [`listeners`] streams new ones to `confab
//! listen`.
//!
//! Guarantees: a committed delivery is attempted until it is delivered or given up; the deliveries
//! of a lane are attempted one at a time and in order; a delivery that is recorded as delivered is
//! sent again only by a replay. A receiver that hangs delays other receivers of the same cause by
//! at most half a second, and no others. Bodies are never rendered again, and no delivery is sent
//! from a bucket that this node has not leased.

pub mod attempting;
pub mod carriers;
pub mod channels;
pub mod engine;
pub mod finding;
pub mod listeners;
pub mod liveness;
pub mod mail;
pub mod our_buckets;
pub mod renderers;
pub mod task;
pub mod wake;

pub mod addresses;
mod attempt_span;
mod bucket_leases;
mod cause_order;
mod committing;
mod health;
mod lanes;
mod monotonic_clock;
mod pace;
mod persistence;

#[cfg(test)]
mod tests;
