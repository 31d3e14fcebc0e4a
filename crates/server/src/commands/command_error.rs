//! What commands fail with.

/// Anything that has a text for people; `run` prints it with all its causes.
pub(super) type CommandError = Box<dyn std::error::Error + Send + Sync>;
