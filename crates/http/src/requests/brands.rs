//! The brand in the path of a request.

use std::sync::Arc;

/// A brand in lower case.
#[derive(Clone)]
pub(crate) struct Brand(pub(crate) Arc<str>);
