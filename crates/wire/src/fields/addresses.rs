//! Kinds of fields with web addresses.

use confab_domain::limits;

use crate::fields::kind::field;
use crate::fields::shape::string;

field! {
    /// Address of an endpoint; an empty string counts as missing. Whether the server may call it is
    /// checked later.
    pub(crate) CalledUrl -> String, string().at_most(limits::URL_CHARS_MAX);
    |reading, field, given| reading.filled_text(field, given)
}

field! {
    /// Address of an endpoint; an empty string removes it.
    pub(crate) HookUrl -> String, CalledUrl::SHAPE;
    |reading, field, given| reading.text(field, given)
}

field! {
    /// Address of a picture; empty if there is none.
    pub(crate) Picture -> String, CalledUrl::SHAPE;
    |reading, field, given| {
        let url = reading.url(field, given)?;
        reading.short(field, url, limits::URL_CHARS_MAX)
    }
}
