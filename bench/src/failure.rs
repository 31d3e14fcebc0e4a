//! The error type of measurements.

/// An error, which aborts the run.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
