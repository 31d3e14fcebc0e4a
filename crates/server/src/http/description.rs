//! What a call tells of itself, for the document.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{HttpMethod, RefOr};

/// What a handler tells of itself.
pub(super) struct Description {
    pub(super) path: String,
    pub(super) methods: Vec<HttpMethod>,
    pub(super) operation: Operation,
    pub(super) tags: Vec<&'static str>,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl Description {
    /// The same below a base.
    pub(super) fn below(self, base: &str) -> Self {
        Self { path: format!("{base}{}", self.path), ..self }
    }
}
