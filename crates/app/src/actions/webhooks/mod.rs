//! Tests and replays of webhooks.

pub(super) mod replay_many;
pub(super) mod trigger;
pub(super) mod try_endpoint;
