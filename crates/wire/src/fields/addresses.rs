//! Web addresses.

use confab_domain::limits;

use crate::fields::shape::string;

field! {
    /// Where something is posted to; an empty text counts as missing. Whether it may be called is
    /// found out later.
    pub(crate) CalledUrl -> String, string().at_most(limits::URL_CHARS_MAX);
    |reading, field, given| reading.filled_text(field, given)
}

field! {
    /// The same, where an empty text takes the address away.
    pub(crate) HookUrl -> String, CalledUrl::SHAPE;
    |reading, field, given| reading.text(field, given)
}

field! {
    /// The address of a picture; an empty text is none.
    pub(crate) Picture -> String, CalledUrl::SHAPE;
    |reading, field, given| {
        let url = reading.url(field, given)?;
        reading.short(field, url, limits::URL_CHARS_MAX)
    }
}
