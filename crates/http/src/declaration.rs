//! The declaration of a call, without the types of its handler.

use axum::routing::MethodFilter;

use crate::api::Api;

/// A row of [`calls!`].
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "the document reads the rest"))]
pub(crate) struct Declaration {
    pub(crate) tag: &'static str,
    pub(crate) method: MethodFilter,
    pub(crate) path: &'static str,
    pub(crate) operation_id: &'static str,
    /// Summary, and description if there are more lines than one.
    pub(crate) texts: &'static [&'static str],
    /// Statuses of the refusals that do not follow from caller and request.
    pub(crate) refusals: &'static [u16],
    /// The API of the call if it does not follow from the caller.
    pub(crate) api: Option<&'static Api>,
}
