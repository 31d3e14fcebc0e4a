//! Who serves whom, and how that ends (wire facts 5.4, 5.5): public JSON.

pub mod agents;
pub mod buttons;
pub mod infos;
pub mod requests;
pub mod rooms;
pub mod sessions;
pub mod tags;

#[cfg(test)]
mod tests;

use confab_domain::ids::ID_END;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::reading::{Given, Reading};

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

/// The integer of something; an empty text counts as missing.
fn read_id(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<i64> {
    let text = reading.key(field, given).filter(|text| !text.is_empty())?;
    match text.parse().ok().filter(|id| (1..ID_END).contains(id)) {
        Some(id) => Some(id),
        None => reading.wrong(field, "must be an integer above 0"),
    }
}

/// The integer of something that must be named.
fn read_needed_id(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<i64> {
    let id = read_id(reading, field, given);
    reading.needed(field, id)
}

/// A text that must be there.
fn read_needed_text(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    chars_max: usize,
) -> Option<String> {
    let text = reading.name(field, given, chars_max);
    let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    reading.needed(field, text)
}

/// An integer in a path; anything else names nothing there.
pub fn id_in_path(text: &str, missing: impl FnOnce(i64) -> Refusal) -> Result<i64, Refusal> {
    let id = text.parse().ok().filter(|id| (1..ID_END).contains(id));
    id.ok_or_else(|| missing(0))
}

/// How many a page shall have; what makes no sense gives the default.
fn read_limit(given: Given<'_>) -> usize {
    use confab_domain::limits::{PAGE_DEFAULT, PAGE_MAX};
    let number = Reading::default().integer("limit", given);
    let asked = number.and_then(|number| usize::try_from(number).ok());
    asked.filter(|asked| (1..=PAGE_MAX).contains(asked)).unwrap_or(PAGE_DEFAULT)
}
