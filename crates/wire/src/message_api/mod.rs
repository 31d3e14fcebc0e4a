//! The message API (spec 4.1) and the calls about users and rooms beside it (wire facts 3).

pub mod comments;
pub mod reply_times;
pub mod rooms;
pub mod unread_users;
pub mod users;
pub mod v2;
pub mod webhook_logs;

#[cfg(test)]
mod tests;

use confab_domain::limits;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fields;
use crate::reading::Reading;
use crate::request::{GivenFields, Part, Request, request};

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

request! {
    struct PageAndLimit {
        /// From 1.
        page: fields::PageNumber, or 1;
        /// Default 20, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
    }
}

/// As generous as D-0003 says: what makes no sense gives the default.
impl Request for Page {
    const PARTS: &'static [Part] = PageAndLimit::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut Reading) -> Option<Self> {
        let PageAndLimit { page, limit } = PageAndLimit::read(fields, reading)?;
        Some(Self { number: page, size: limit })
    }
}

impl Page {
    /// How many items come before this page.
    pub fn skipped(self) -> u64 {
        (self.number - 1).saturating_mul(self.size as u64)
    }
}
