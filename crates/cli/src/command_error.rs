//! The error type of commands.

/// Any error with a readable text; `run` prints it with all its causes.
pub type CommandError = Box<dyn std::error::Error + Send + Sync>;
