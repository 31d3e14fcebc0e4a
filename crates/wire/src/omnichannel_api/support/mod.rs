//! Who serves whom, and how that ends (wire facts 5.4, 5.5): public JSON.

pub mod agents;
pub mod bulk;
pub mod buttons;
pub mod canned_replies;
pub mod contact_export;
pub mod contact_list;
pub mod contacts;
pub mod conversation;
pub mod conversations;
pub mod counts;
pub mod files;
pub mod infos;
pub mod marks;
pub mod notes;
pub mod requests;
pub mod room_conversations;
pub mod rooms;
pub mod search;
pub mod sessions;
pub mod tags;
pub mod trail;
pub mod transfers;

#[cfg(test)]
mod tests;

use confab_domain::ids::ID_END;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of a list: `{data, meta, status}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct DataPage<T> {
    /// What was asked for.
    pub data: T,
    /// Where it is in the list.
    pub meta: PageMeta,
    /// Always 200.
    #[schema(example = 200)]
    pub status: u16,
}

/// Where a page is in its list.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageMeta {
    /// To be sent as `cursor_after` for what follows; null at the end.
    pub after: Option<String>,
    /// To be sent as `cursor_before` for what comes before; null at the beginning.
    pub before: Option<String>,
    /// How many a page has at most.
    pub per_page: usize,
    /// How many there are in all; null where that is not counted.
    pub total_count: Option<u64>,
}

/// Wraps a page.
pub fn page<T>(data: T, meta: PageMeta) -> DataPage<T> {
    DataPage { data, meta, status: 200 }
}

/// An integer in a path; anything else names nothing there.
pub fn id_in_path(text: &str, missing: impl FnOnce(i64) -> Refusal) -> Result<i64, Refusal> {
    let id = text.parse().ok().filter(|id| (1..ID_END).contains(id));
    id.ok_or_else(|| missing(0))
}
