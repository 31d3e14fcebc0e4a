//! Connections: accepting them, their timeouts, and the graceful stop.

pub(super) mod accepting;
pub(super) mod activity;
pub(super) mod idle_timeouts;
pub(super) mod serve;
