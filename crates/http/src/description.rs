//! The documentation of a call in the OpenAPI document.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{HttpMethod, RefOr};

/// The documentation of a handler.
pub(super) struct Description {
    pub(super) path: String,
    pub(super) methods: Vec<HttpMethod>,
    pub(super) operation: Operation,
    pub(super) tags: Vec<&'static str>,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl Description {
    /// Prefixes the path with a base path.
    pub(super) fn below(self, base: &str) -> Self {
        Self { path: format!("{base}{}", self.path), ..self }
    }
}
