//! The realtime gateway: those who are connected see what happens the moment it is on disk.
//!
//! - [`hub`] knows who listens to what, and hands signals to their queues ([`heard`]).
//! - [`feed`] turns what the store says is on disk, here or on another node, into signals, in
//!   order.
//! - [`hints`] are what nodes tell each other.
//! - [`signal`] is one thing to be shown, written once for all who are shown it.
//! - [`watching`] is one user's view: first what they missed, then what happens.
//! - [`mqtt`] is the way in for the published SDKs, [`presence`] knows who is there.
//! - [`viewers`] knows who has which conversation on their screen, on any node ([`node_viewers`]).
//! - [`cursor`] is how far somebody has seen, so that they can go on after a gap (D-0041).
//!
//! Called by `http` (the sockets) and by `background`. It promises that whoever listens is shown
//! what they may see, in the order of each room, once, or is cut off and told so. It never writes
//! to the store except through `actions`, and never waits for a client.

pub(crate) mod cursor;
pub(crate) mod feed;
mod hints;
pub(crate) mod hub;
mod inbox_changes;
pub(crate) mod lag;
pub(crate) mod mqtt;
mod node_viewers;
pub(crate) mod presence;
mod room_move;
pub(crate) mod signal;
pub(crate) mod subscription_queue;
pub(crate) mod viewers;
pub(crate) mod watching;
