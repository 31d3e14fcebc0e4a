//! What a measurement fails with.

/// What goes wrong ends the run.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
