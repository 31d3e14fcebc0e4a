//! The trail of a customer's room: its assignments, resolutions and ratings (design/support).

use confab_domain::ids::{ID_END, TrailId};
use confab_domain::limits;
use confab_domain::messages::rating::Rating;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::trail::TrailEntry;
use serde::Serialize;
use utoipa::ToSchema;

use super::{DataPage, PageMeta, page};
use crate::body::Body;
use crate::fields::{IdText, PageSize};
use crate::person::{PersonShape, person};
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Query of `GET /api/v2/customer_rooms/{room_id}/trail`.
    pub struct TrailFields {
        /// `meta.before` of the previous page; older entries are returned.
        before: IdText, optional;
        /// Entries per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Parses a request for a page of entries. Returns the exclusive upper bound of their ids, and the
/// maximum number of entries.
pub fn read_trail(query: &Body<'_>) -> Result<(TrailId, usize), Refusal> {
    let TrailFields { before, limit } = query.read()?;
    Ok((TrailId(before.unwrap_or(ID_END)), limit))
}

/// An entry in the trail of a customer's room.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TrailEntry)]
pub struct TrailShape<'a> {
    id: String,
    /// Kind of the entry: `opened`, `assigned`, `taken`, `left`, `removed`, `transferred`,
    /// `returned`, `resolved`, `reopened`, `bot_on`, `bot_off` or `rated`.
    #[schema(example = "assigned")]
    what: &'static str,
    /// Agent who caused the entry; null if it was the customer, the app or the server.
    by: Option<PersonShape<'a>>,
    /// Agent who joined or left.
    agent: Option<PersonShape<'a>>,
    /// Rating from 1 (bad) to 5 (good), for `rated`.
    rating: Option<i64>,
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    at: String,
}

impl<'a> From<&'a TrailEntry> for TrailShape<'a> {
    fn from(entry: &'a TrailEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            what: entry.what.as_str(),
            by: person(entry.by.as_ref()),
            agent: person(entry.agent.as_ref()),
            rating: entry.what.rating().map(Rating::number),
            at: to_the_microsecond(entry.at),
        }
    }
}

/// Response data with a list of trail entries.
#[derive(Debug, Serialize, ToSchema)]
pub struct TrailList<'a> {
    trail: Vec<TrailShape<'a>>,
}

/// Returns one page of entries, newest first. `found` contains one entry more than `size` if there
/// is a next page.
pub fn trail_page(found: &[TrailEntry], size: usize) -> DataPage<TrailList<'_>> {
    let shown = &found[..found.len().min(size)];
    let before = shown.last().filter(|_| found.len() > size).map(|it| it.id.to_string());
    let meta = PageMeta { after: None, before, per_page: size, total_count: None };
    page(TrailList { trail: shown.iter().map(TrailShape::from).collect() }, meta)
}
