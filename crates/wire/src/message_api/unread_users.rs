//! `GET /get_unread_users` (wire facts 3.1, D-0104)

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::Page;
use super::reply_times::Moment;
use crate::body::Body;
use crate::fields;
use crate::request::request;

request! {
    /// `GET /get_unread_users`
    pub struct UnreadUsersFields {
        /// From 1.
        page: fields::PageNumber, or 1;
        /// Default and at most 100.
        limit: fields::PageSize, or limits::PAGE_MAX;
        /// Only what was said from then on: RFC 3339, a date, or Unix seconds.
        start_time: Moment, optional, example = "2026-01-31T10:00:00Z";
        /// Only what was said until then.
        end_time: Moment, optional;
    }
}

/// Which users are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadUsers {
    pub page: Page,
    /// From when on.
    pub since: Option<Timestamp>,
    /// Until when.
    pub until: Option<Timestamp>,
}

impl UnreadUsers {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let UnreadUsersFields { page, limit, start_time, end_time } = query.read_spelled()?;
        let page = Page { number: page, size: limit };
        Ok(Self { page, since: start_time, until: end_time })
    }
}

/// `results.user_ids`
#[derive(Debug, Serialize, ToSchema)]
pub struct UserIds {
    pub user_ids: Vec<String>,
}
