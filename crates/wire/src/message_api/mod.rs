//! The message API (spec 4.1) and the calls about users and rooms beside it (wire facts 3).

pub mod comments;
pub mod rooms;
pub mod users;
pub mod webhook_logs;

#[cfg(test)]
mod tests;

use confab_domain::limits;
use confab_domain::people::user::UserId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::reading::{Given, Reading};

/// Every success answer: `{results, status}` (spec 4.1).
#[derive(Debug, Serialize, ToSchema)]
pub struct Results<T> {
    /// What was asked for.
    pub results: T,
    /// Always 200.
    #[schema(example = 200)]
    pub status: u16,
}

/// Wraps what was asked for.
pub fn results<T>(results: T) -> Results<T> {
    Results { results, status: 200 }
}

/// A sentence that confirms what was done.
#[derive(Debug, Serialize, ToSchema)]
pub struct Confirmed {
    /// The sentence.
    pub message: String,
}

/// Confirms what was done.
pub fn confirmed(message: impl Into<String>) -> Confirmed {
    Confirmed { message: message.into() }
}

/// Which page of a list, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// From 1.
    pub number: u64,
    /// How many items.
    pub size: usize,
}

impl Page {
    /// How many items come before this page.
    pub fn skipped(self) -> u64 {
        (self.number - 1).saturating_mul(self.size as u64)
    }
}

/// Reads `page` and `limit` as generously as D-0003 says: what makes no sense gives the default.
pub(crate) fn read_page(page: Given<'_>, limit: Given<'_>, default_size: usize) -> Page {
    // A reading of its own: problems with these two are no reason to refuse.
    let mut reading = Reading::default();
    let number = reading.integer("page", page).and_then(|page| u64::try_from(page).ok());
    let size = reading.integer("limit", limit).and_then(|limit| usize::try_from(limit).ok());
    Page {
        number: number.filter(|page| *page >= 1).unwrap_or(1),
        size: size.filter(|size| (1..=limits::PAGE_MAX).contains(size)).unwrap_or(default_size),
    }
}

/// User ids, each named once, at most so many.
pub(crate) fn read_user_ids(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    users_max: usize,
) -> Option<Vec<UserId>> {
    let texts = reading.texts(field, given)?;
    if texts.len() > users_max {
        return reading.wrong(field, format!("must name at most {users_max} users"));
    }
    let mut users: Vec<UserId> = Vec::with_capacity(texts.len());
    for text in &texts {
        let user = reading.check(UserId::parse(field, text))?;
        if !users.contains(&user) {
            users.push(user);
        }
    }
    Some(users)
}

/// User ids, of which there must be at least one.
pub(crate) fn read_some_user_ids(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    users_max: usize,
) -> Option<Vec<UserId>> {
    let users = read_user_ids(reading, field, given, users_max);
    reading.needed(field, users.filter(|users| !users.is_empty()))
}

pub(crate) fn read_user_id(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<UserId> {
    let text = reading.key(field, given);
    let text = reading.needed(field, text)?;
    reading.check(UserId::parse(field, &text))
}
