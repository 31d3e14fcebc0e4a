//! The realtime gateway: publishes committed changes to connected clients.
//!
//! - [`node`] is what the connections of a node share.
//! - [`hub`] holds subscriptions and queues signals for connections ([`subscription_queue`]).
//! - [`feed`] turns commits of this node and hints of other nodes into signals, in order.
//! - [`hints`] are the messages between nodes, which [`bus`] sends.
//! - [`signal`] is one published value, encoded once for all recipients.
//! - [`watching`] is the stream of one user: missed events first, then new ones.
//! - [`mqtt`] serves the published SDKs, [`presence`] tracks who is online.
//! - [`viewers`] tracks who has which conversation open, on any node ([`node_viewers`]).
//! - [`cursor`] is the position from which a client resumes after a gap (D-0041).
//! - [`lag`] measures how far published signals are behind commits.
//!
//! Called by `http` (the sockets) and by `background`. A subscriber receives what it may see once,
//! in the order of each room, or is cut off with a reason. The gateway never
//! writes to the store, and never waits for a client.

pub mod bus;
pub mod cursor;
pub mod feed;
mod hints;
pub mod hub;
mod inbox_changes;
pub mod lag;
pub mod mqtt;
pub mod node;
mod node_viewers;
pub mod presence;
mod room_move;
pub mod signal;
pub mod subscription_queue;
pub mod viewers;
pub mod watching;
