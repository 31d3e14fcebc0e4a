//! Public JSON about customer support: conversations, their assignment and resolution, contacts,
//! tags and notes (wire facts 5.4, 5.5).

pub mod annotations;
pub mod assignment;
pub mod automation;
pub mod bulk;
pub mod conversation;
pub mod conversations;
pub mod customers;
pub mod files;
pub mod requests;
pub mod room_conversations;
pub mod rooms;
pub mod search;
pub mod trail;

#[cfg(test)]
mod tests;

use confab_domain::ids::ID_END;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

/// Body of a response with one page of a list: `{data, meta, status}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct DataPage<T> {
    /// Items of the page.
    pub data: T,
    /// Position of the page in the list.
    pub meta: PageMeta,
    /// HTTP status, always 200.
    #[schema(example = 200)]
    pub status: u16,
}

/// Position of a page in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageMeta {
    /// Cursor of the next page, to send as `cursor_after`; null on the last page.
    pub after: Option<String>,
    /// Cursor of the previous page, to send as `cursor_before`; null on the first page.
    pub before: Option<String>,
    /// Maximum number of items per page.
    pub per_page: usize,
    /// Number of all matching items; null if not counted.
    pub total_count: Option<u64>,
}

/// Wraps the items of a page.
pub fn page<T>(data: T, meta: PageMeta) -> DataPage<T> {
    DataPage { data, meta, status: 200 }
}

/// Parses an integer id from a path. Invalid ids fail with `missing`, like unknown ones.
pub fn id_in_path(text: &str, missing: impl FnOnce(i64) -> Refusal) -> Result<i64, Refusal> {
    let id = text.parse().ok().filter(|id| (1..ID_END).contains(id));
    id.ok_or_else(|| missing(0))
}
