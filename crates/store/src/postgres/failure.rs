//! Why a decision could not be written.

use tokio_postgres::Error;

use crate::error::{Fault, StoreError};
use crate::postgres::connection::{Meaning, meaning};
use crate::postgres::plain;

/// Why decisions were not written.
#[derive(Debug)]
pub(super) enum DatabaseFailure {
    /// There is no connection, or no way to write; it is no use to try again now.
    Unwell(Fault),
    /// The connection was lost before anything could be written.
    Lost(Fault),
    /// The connection was lost with a commit under way.
    Unknown(Fault),
    /// The commit was answered, but with a warning: it may not have taken place everywhere.
    Warned(Fault),
    /// Somebody else wrote at the same time.
    Conflict(Fault),
    /// Somebody else holds a lock for too long.
    Locked(Fault),
    /// One of the decisions cannot be written.
    Wrong(Fault),
}

impl From<Error> for DatabaseFailure {
    fn from(error: Error) -> Self {
        let reason = plain(&error);
        match meaning(&error) {
            Meaning::ConnectionLost => Self::Lost(reason),
            Meaning::Conflict => Self::Conflict(reason),
            Meaning::Locked => Self::Locked(reason),
            Meaning::ServerUnwell => Self::Unwell(reason),
            Meaning::Wrong => Self::Wrong(reason),
        }
    }
}

impl From<StoreError> for DatabaseFailure {
    fn from(error: StoreError) -> Self {
        Self::Wrong(error.fault())
    }
}
