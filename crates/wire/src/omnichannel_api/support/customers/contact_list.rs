//! The list of all customers that the caller may see (design/support).

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{ChannelId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{NonEmpty, PageSize, Short};
use crate::omnichannel_api::support::rooms::{RoomCursor, RoomPlace, rooms_meta};
use crate::omnichannel_api::support::{DataPage, page};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Query of `GET /api/v2/contacts`.
    pub struct ContactsFields {
        /// Text that must occur in the customer's name or id.
        q: NonEmpty<Short<{ limits::NAME_CHARS_MAX }>>, optional;
        /// `meta.after` of the previous page.
        cursor: RoomCursor, optional;
        /// Customers per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// A filter for customers, with the position and size of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactFilter {
    /// Text that must occur in the name or id, in lower case.
    pub text: Option<String>,
    /// Position of the previous page's last customer: time and room of the latest change.
    pub after: Option<(Timestamp, RoomId)>,
    /// Customers per page.
    pub size: usize,
}

impl ContactFilter {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ContactsFields { q, cursor, limit } = query.read()?;
        let after = match cursor {
            Some(RoomPlace::Updated(time, room)) => Some((time, room)),
            Some(RoomPlace::Waiting(..)) => {
                return Err(FieldProblem::new(
                    "cursor",
                    "must be the after of an earlier response",
                )
                .into());
            }
            None => None,
        };
        Ok(Self { text: q.map(|text| text.trim().to_lowercase()), after, size: limit })
    }

    /// Whether a customer with this name and id matches the filter.
    pub fn matches(&self, names: [&str; 2]) -> bool {
        let text = self.text.as_deref();
        text.is_none_or(|text| names.iter().any(|it| it.to_lowercase().contains(text)))
    }
}

/// The values of one customer in the list.
pub struct ContactView<'a> {
    pub contact: UserKey,
    pub name: &'a str,
    pub channel: ChannelId,
    pub channel_name: &'a str,
    /// Kind of the channel.
    pub source: &'a str,
    /// Time of the latest change in any of the customer's rooms.
    pub last_seen_at: Timestamp,
    /// Number of the customer's rooms that the caller may see.
    pub rooms: usize,
    pub is_blocked: bool,
}

/// A customer in the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedContact<'a> {
    id: i64,
    name: &'a str,
    channel_id: i64,
    channel_name: &'a str,
    /// Kind of the channel.
    source: &'a str,
    /// Time of the latest change in any of the customer's rooms.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_seen_at: String,
    /// Number of the customer's rooms that the caller may see.
    rooms: usize,
    /// Whether the customer is blocked and cannot write.
    is_blocked: bool,
}

impl<'a> From<&ContactView<'a>> for ListedContact<'a> {
    fn from(view: &ContactView<'a>) -> Self {
        Self {
            id: view.contact.0,
            name: view.name,
            channel_id: view.channel.0,
            channel_name: view.channel_name,
            source: view.source,
            last_seen_at: to_the_second(view.last_seen_at),
            rooms: view.rooms,
            is_blocked: view.is_blocked,
        }
    }
}

/// Response data with a list of customers.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactList<'a> {
    contacts: Vec<ListedContact<'a>>,
}

/// Returns a page of customers. `after` is the position of the next page.
pub fn contact_list<'a>(
    views: &[ContactView<'a>],
    after: Option<(Timestamp, RoomId)>,
    size: usize,
) -> DataPage<ContactList<'a>> {
    let after = after.map(|(time, room)| RoomPlace::Updated(time, room));
    let contacts = views.iter().map(ListedContact::from).collect();
    page(ContactList { contacts }, rooms_meta(after, None, size, None))
}
