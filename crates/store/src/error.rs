//! What can go wrong here: a rule said no, or the store could not.

use std::error::Error;

use confab_domain::refusal::Refusal;
use rusqlite::ErrorCode;

/// Why a write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The rule said no; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store could not; whether anything was written is unknown only if the commit failed.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// What is wrong with a store, as far as callers and those who watch may know (D-0083).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreProblem {
    /// It cannot be reached, or does not do what it is asked for.
    Unavailable,
    /// There is no room to write: the disk, or what may be used of it, is full.
    Full,
    /// It takes no writes.
    ReadOnly,
    /// The disk gives errors.
    Disk,
    /// Something is not what was written (D-0084).
    Damaged,
    /// Nothing is wrong: the caller, or its app, reads more than its share (D-0207).
    Busy,
    /// Nothing is wrong: a search took longer than it may (D-0207).
    TooSlow,
}

/// The operator's trouble: logged once at the edge with its whole chain, never shown to callers.
///
/// Display names only this step; `source()` carries the cause.
#[derive(Debug, thiserror::Error)]
#[error("store failed while {doing}")]
pub struct StoreError {
    /// What was being done.
    pub doing: &'static str,
    /// What that says about the store.
    pub trouble: StoreProblem,
    /// The cause.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

/// What a read gives.
pub(crate) type Read<T> = Result<T, StoreError>;

/// A failure that many are told of: in words, and what it says about the store.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Fault {
    pub(crate) trouble: StoreProblem,
    pub(crate) reason: String,
}

impl StoreError {
    /// Names the step in which an error came up.
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

    /// The same for many.
    pub(crate) fn fault(&self) -> Fault {
        Fault { trouble: self.trouble, reason: format!("{}: {}", self.doing, self.source) }
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
