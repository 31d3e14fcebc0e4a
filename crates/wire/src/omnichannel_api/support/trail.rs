//! The trail of a customer's room (D-0116).

use confab_domain::ids::{ID_END, TrailId};
use confab_domain::limits;
use confab_domain::messages::rating::Rating;
use confab_domain::refusal::Refusal;
use confab_domain::support::trail::TrailEntry;
use serde::Serialize;
use utoipa::ToSchema;

use super::{DataPage, PageMeta, page};
use crate::body::Body;
use crate::fields::{IdText, PageSize};
use crate::person::{PersonShape, person};
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// `GET /api/v2/customer_rooms/{room_id}/trail`
    pub struct TrailFields {
        /// What happened before this: `meta.before` of an earlier answer.
        before: IdText, optional;
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Reads before which entry, and how many.
pub fn read_trail(query: &Body<'_>) -> Result<(TrailId, usize), Refusal> {
    let TrailFields { before, limit } = query.read()?;
    Ok((TrailId(before.unwrap_or(ID_END)), limit))
}

/// Something that happened to a customer's room.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TrailEntry)]
pub struct TrailShape<'a> {
    id: String,
    /// `opened`, `assigned`, `taken`, `left`, `removed`, `transferred`, `returned`, `resolved`,
    /// `reopened`, `bot_on`, `bot_off` or `rated`.
    #[schema(example = "assigned")]
    what: &'static str,
    /// By whose decision; null if the customer, the app or the server decided.
    by: Option<PersonShape<'a>>,
    /// Who came or left.
    agent: Option<PersonShape<'a>>,
    /// What the customer said, of `rated`: from 1 (bad) to 5 (good).
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

/// `{trail}`
#[derive(Debug, Serialize, ToSchema)]
pub struct TrailList<'a> {
    trail: Vec<TrailShape<'a>>,
}

/// A page of them, the newest first; `size` were asked for, and one more looked at.
pub fn trail_page(found: &[TrailEntry], size: usize) -> DataPage<TrailList<'_>> {
    let shown = &found[..found.len().min(size)];
    let before = shown.last().filter(|_| found.len() > size).map(|it| it.id.to_string());
    let meta = PageMeta { after: None, before, per_page: size, total_count: None };
    page(TrailList { trail: shown.iter().map(TrailShape::from).collect() }, meta)
}
