//! Calls about all of an app's support: its current state and its statistics.

pub(crate) mod analytics;
pub(crate) mod board;
