//! Nodes that share a database: leases, proof of commits, and notifications.

pub(super) mod commit_proof;
pub(super) mod node;
pub(crate) mod notifications;
pub(super) mod senders;
