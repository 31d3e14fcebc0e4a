//! Tags of an app, with the data for managing them (design/support).

use crate::ids::TagId;
use crate::webhooks::event::Tag;

/// A tag of the app, with its color.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTag {
    pub tag: Tag,
    /// Color as `#rrggbb`, for the dashboard.
    pub colour: Option<String>,
}

/// The tags that a rule needs: the tag to change, the tag to merge it into, and the tag that
/// already has the wanted name.
#[derive(Debug, Clone)]
pub struct TagQuestion {
    pub tag: TagId,
    pub into: Option<TagId>,
    pub name: Option<String>,
}
