//! The error of an invalid setting.

/// A message about an invalid setting, with its name, source and allowed values.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);
