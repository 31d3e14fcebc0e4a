//! Web addresses.

use confab_domain::limits;
use utoipa::openapi::schema::Schema;

use super::{Field, string};
use crate::reading::{Given, Reading};

/// Where something is posted to; an empty text counts as missing. Whether it may be called is found
/// out later.
pub(crate) struct CalledUrl;

impl Field for CalledUrl {
    type Value = String;

    fn schema() -> Schema {
        string().max_length(Some(limits::URL_CHARS_MAX)).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        reading.filled_text(field, given)
    }
}

/// The address of a picture; an empty text is none.
pub(crate) struct Picture;

impl Field for Picture {
    type Value = String;

    fn schema() -> Schema {
        CalledUrl::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        let url = reading.url(field, given)?;
        reading.short(field, url, limits::URL_CHARS_MAX)
    }
}
