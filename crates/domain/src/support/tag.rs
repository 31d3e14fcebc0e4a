//! Tags of an app, as those keep them who look after the app (D-0129).

use crate::ids::TagId;
use crate::webhooks::event::Tag;

/// A tag of the app, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTag {
    pub tag: Tag,
    /// `#rrggbb`, for pages.
    pub colour: Option<String>,
}

/// Which tags a rule wants to know: this one, the one it goes into, and whichever has this name.
#[derive(Debug, Clone)]
pub struct TagQuestion {
    pub tag: TagId,
    pub into: Option<TagId>,
    pub name: Option<String>,
}
