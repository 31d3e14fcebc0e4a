//! Errors of the store: the refusal of a rule, or a failure of the store itself.

use std::error::Error;

use confab_domain::refusal::Refusal;
use rusqlite::ErrorCode;

/// Reason why a write was refused or has failed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A rule refused the request; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed. Nothing was written, unless the commit failed: then the outcome is
    /// unknown.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// Kind of a store failure, which may be shown to callers and monitoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreProblem {
    /// The database cannot be reached or reports an error.
    Unavailable,
    /// The disk or the quota is full.
    Full,
    /// The database is read-only.
    ReadOnly,
    /// The disk reports errors.
    Disk,
    /// Stored data is damaged (D-0084).
    Damaged,
    /// The database works, but the caller or its app already uses its share of reads (D-0207).
    Busy,
    /// The database works, but a search exceeded its time limit (D-0207).
    TooSlow,
}

/// A store failure: logged once at the edge with its whole chain, never shown to callers.
///
/// `Display` names only the failed step; `source()` is the cause.
#[derive(Debug, thiserror::Error)]
#[error("store failed while {doing}")]
pub struct StoreError {
    /// The step that failed, such as "reading messages".
    pub doing: &'static str,
    /// Kind of the failure.
    pub trouble: StoreProblem,
    /// The underlying error.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

/// Result of a read.
pub(crate) type Read<T> = Result<T, StoreError>;

/// A failure that is cloned for all decisions of a batch.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Fault {
    pub(crate) trouble: StoreProblem,
    pub(crate) reason: String,
}

/// Reason why a command's write failed; its transaction wrote nothing.
pub(crate) enum CommandFailure {
    /// A row violates a constraint, for example because its id is already in use.
    Conflict(StoreError),
    /// Another connection holds a lock that the write needs.
    Locked(StoreError),
    Failed(StoreError),
}

impl StoreError {
    /// Wraps an error in the step that failed.
    pub(crate) fn while_doing<E>(doing: &'static str) -> impl FnOnce(E) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        move |source| {
            let source = source.into();
            let trouble = StoreProblem::of(&*source);
            let is_named = trouble != StoreProblem::Damaged || source.is::<Fault>();
            let source = match (is_named, crate::damage::take()) {
                (false, Some(damage)) => {
                    Fault { trouble, reason: format!("{source}: {damage}") }.into()
                }
                _ => source,
            };
            Self { doing, trouble, source }
        }
    }

    /// Converts the error so that it can be cloned.
    pub(crate) fn fault(&self) -> Fault {
        Fault { trouble: self.trouble, reason: format!("{}: {}", self.doing, self.source) }
    }
}

impl CommandFailure {
    /// Returns the error, for callers that treat all failures alike.
    pub(crate) fn error(self) -> StoreError {
        match self {
            Self::Conflict(error) | Self::Locked(error) | Self::Failed(error) => error,
        }
    }
}

impl From<&str> for Fault {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

impl From<String> for Fault {
    fn from(reason: String) -> Self {
        Self { trouble: StoreProblem::Unavailable, reason }
    }
}

impl StoreProblem {
    fn of(source: &(dyn Error + Send + Sync + 'static)) -> Self {
        if let Some(fault) = source.downcast_ref::<Fault>() {
            return fault.trouble;
        }
        match source.downcast_ref() {
            Some(rusqlite::Error::SqliteFailure(failure, _)) => Self::of_sqlite(*failure),
            _ => Self::Unavailable,
        }
    }

    fn of_sqlite(failure: rusqlite::ffi::Error) -> Self {
        match (failure.code, failure.extended_code) {
            (_, rusqlite::ffi::SQLITE_IOERR_DATA) => Self::Damaged,
            (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => Self::Damaged,
            (ErrorCode::DiskFull, _) => Self::Full,
            (ErrorCode::ReadOnly, _) => Self::ReadOnly,
            (ErrorCode::SystemIoFailure, _) => Self::Disk,
            _ => Self::Unavailable,
        }
    }
}
