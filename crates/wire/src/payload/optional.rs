//! What several types may have.

use crate::reading::{Object, Reading};

/// Checks the optional strings and addresses that several types share.
pub(super) fn check_optional(
    reading: &mut Reading,
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
