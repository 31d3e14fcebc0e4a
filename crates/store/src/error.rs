//! What can go wrong here: a rule said no, or the store could not.

use confab_domain::refusal::Refusal;

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

/// The operator's trouble: logged once at the edge with its whole chain, never shown to callers.
///
/// Display names only this step; `source()` carries the cause.
#[derive(Debug, thiserror::Error)]
#[error("store failed while {doing}")]
pub struct StoreError {
    /// What was being done.
    pub doing: &'static str,
    /// The cause.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

impl StoreError {
    /// Names the step in which an error came up.
    pub(crate) fn while_doing<E>(doing: &'static str) -> impl FnOnce(E) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        move |source| Self { doing, source: source.into() }
    }
}
