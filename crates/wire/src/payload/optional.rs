//! Checks of optional keys that several message types share.

use crate::reading::{FieldReader, Object};

/// Checks optional strings and web addresses.
pub(super) fn check_optional(
    reading: &mut FieldReader,
    object: &Object<'_>,
    texts: &[&str],
    urls: &[&str],
) {
    for key in texts {
        object.text(reading, key);
    }
    for key in urls {
        object.url(reading, key);
    }
}
