//! The trait that every kind of field implements.

use crate::fields::shape::{Shape, string};
use crate::reading::{FieldJson, FieldReader};

/// A kind of request field: how its value is read and documented.
pub(crate) trait Field {
    /// Type of the field's value.
    type Value;

    /// Shape of the field in the OpenAPI document.
    const SHAPE: Shape = string();

    /// Reads the value. `None` if the field is absent or its problem was recorded.
    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Self::Value>;
}
