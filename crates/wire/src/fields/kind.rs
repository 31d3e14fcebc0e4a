//! What every kind of field has.

use crate::fields::shape::{Shape, string};
use crate::reading::{Given, Reading};

/// A kind of field.
pub(crate) trait Field {
    /// What it gives.
    type Value;

    /// As the OpenAPI document shows it.
    const SHAPE: Shape = string();

    /// The value, or nothing: it is absent, or what is wrong with it is noted.
    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value>;
}
