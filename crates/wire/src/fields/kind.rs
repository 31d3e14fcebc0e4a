//! What every kind of field has.

use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::reading::{Given, Reading};

/// A kind of field.
pub(crate) trait Field {
    /// What it gives.
    type Value;

    /// As the OpenAPI document shows it.
    fn schema() -> Schema {
        string().into()
    }

    /// The value, or nothing: it is absent, or what is wrong with it is noted.
    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value>;
}

/// The schema of any text.
pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}
