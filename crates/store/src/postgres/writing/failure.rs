//! Reasons why a batch of decisions could not be written.

use tokio_postgres::Error;

use crate::error::{Fault, StoreError};
use crate::postgres::connections::connection::{ErrorMeaning, meaning, plain};

/// Reason why a batch of decisions was not written.
#[derive(Debug)]
pub(crate) enum DatabaseFailure {
    /// The database is unreachable or cannot write; an immediate retry is useless.
    Unwell(Fault),
    /// The connection was lost before the commit was sent.
    Lost(Fault),
    /// The connection was lost during the commit, so its outcome is unknown.
    Unknown(Fault),
    /// The commit succeeded with a warning: on a standby or a worker, it may not have taken place.
    Warned(Fault),
    /// A concurrent write conflicted.
    Conflict(Fault),
    /// A lock was not available in time.
    Locked(Fault),
    /// One of the decisions cannot be written.
    Wrong(Fault),
}

impl From<Error> for DatabaseFailure {
    fn from(error: Error) -> Self {
        let reason = plain(&error);
        match meaning(&error) {
            ErrorMeaning::ConnectionLost => Self::Lost(reason),
            ErrorMeaning::Conflict => Self::Conflict(reason),
            ErrorMeaning::Locked => Self::Locked(reason),
            ErrorMeaning::ServerUnwell => Self::Unwell(reason),
            ErrorMeaning::Wrong => Self::Wrong(reason),
        }
    }
}

impl From<StoreError> for DatabaseFailure {
    fn from(error: StoreError) -> Self {
        Self::Wrong(error.fault())
    }
}
