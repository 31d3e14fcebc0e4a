//! Tags of an app, with the data for managing them (design/support).

use crate::ids::TagId;
use crate::webhooks::event::Tag;

/// A tag of the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTag {
    pub tag: Tag,
    /// Color as `#rrggbb`, for the dashboard.
    pub colour: Option<String>,
}

/// The tags that a rule needs: one by id, the one to merge into, and one by name.
#[derive(Debug, Clone)]
pub struct TagQuestion {
    pub tag: TagId,
    pub into: Option<TagId>,
    pub name: Option<String>,
}
