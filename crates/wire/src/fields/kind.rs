//! The trait that every kind of field implements, and the macro that declares most kinds.

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

/// Declares a kind of field: the type of its value, its shape if it is not a plain string, and the
/// code that reads it.
macro_rules! field {
    (
        $(#[$doc:meta])*
        $vis:vis $kind:ident -> $value:ty $(, $shape:expr)?;
        |$reading:pat_param, $field:pat_param, $given:pat_param| $read:expr
    ) => {
        $(#[$doc])*
        $vis struct $kind;

        impl $crate::fields::kind::Field for $kind {
            type Value = $value;

            $(const SHAPE: $crate::fields::shape::Shape = $shape;)?

            fn read(
                $reading: &mut $crate::reading::FieldReader,
                $field: &str,
                $given: $crate::reading::FieldJson<'_>,
            ) -> Option<$value> {
                $read
            }
        }
    };
}

pub(crate) use field;
