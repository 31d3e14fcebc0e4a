//! `GET /get_unread_users` (wire facts 3.1).

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
    /// Query of `GET /get_unread_users`.
    pub struct UnreadUsersFields {
        /// Page number, from 1.
        page: fields::PageNumber, or 1;
        /// Users per page, default and maximum 100.
        limit: fields::PageSize, or limits::PAGE_MAX;
        /// Start of the period in which unread messages are considered: RFC 3339, a date, or Unix
        /// time in seconds.
        start_time: Moment, optional, example = "2026-01-31T10:00:00Z";
        /// End of the period, in the formats of `start_time`.
        end_time: Moment, optional;
    }
}

/// A request for one page of the users with unread messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadUsers {
    pub page: Page,
    /// Start of the period in which unread messages are considered; `None` if it has no start.
    pub since: Option<Timestamp>,
    /// End of the period in which unread messages are considered; `None` if it has no end.
    pub until: Option<Timestamp>,
}

impl UnreadUsers {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let UnreadUsersFields { page, limit, start_time, end_time } = query.read_spelled()?;
        let page = Page { number: page, size: limit };
        Ok(Self { page, since: start_time, until: end_time })
    }
}

/// The `results` object of `get_unread_users`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserIds {
    pub user_ids: Vec<String>,
}
