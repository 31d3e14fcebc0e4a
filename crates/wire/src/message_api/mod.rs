//! The message API (spec 4.1) with its calls about users and rooms (wire facts 3).

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
use crate::reading::FieldReader;
use crate::request::{GivenFields, Part, Request, request};

/// A successful response: `{results, status}` (spec 4.1).
#[derive(Debug, Serialize, ToSchema)]
pub struct Results<T> {
    /// Result of the call; its fields depend on the call.
    pub results: T,
    /// HTTP status, always 200.
    #[schema(example = 200)]
    pub status: u16,
}

/// Wraps a result into the body of a successful response.
pub fn results<T>(results: T) -> Results<T> {
    Results { results, status: 200 }
}

/// The `results` object of a call that returns only a confirmation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Confirmed {
    /// Sentence that confirms the call.
    pub message: String,
}

/// Returns the result of a call that is confirmed by this sentence.
pub fn confirmed(message: impl Into<String>) -> Confirmed {
    Confirmed { message: message.into() }
}

/// Number and size of a page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Page number, from 1.
    pub number: u64,
    /// Items per page.
    pub size: usize,
}

request! {
    struct PageAndLimit {
        /// Page number, from 1.
        page: fields::PageNumber, or 1;
        /// Items per page, default 20, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Invalid values of `page` and `limit` are replaced by the defaults.
impl Request for Page {
    const PARTS: &'static [Part] = PageAndLimit::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let PageAndLimit { page, limit } = PageAndLimit::read(fields, reading)?;
        Some(Self { number: page, size: limit })
    }
}

impl Page {
    /// Returns the number of items before this page.
    pub fn skipped(self) -> u64 {
        (self.number - 1).saturating_mul(self.size as u64)
    }
}
