//! Periodic work on stored data.

pub(super) mod persist_presences;
pub(super) mod purge_expired;
