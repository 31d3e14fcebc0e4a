//! All customers that somebody may see, as a page lists them (D-0144).

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{ChannelId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::rooms::{RoomCursor, RoomPlace, rooms_meta};
use super::{DataPage, page};
use crate::body::Body;
use crate::fields::{Filled, PageSize, Short};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// `GET /api/v2/contacts`
    pub struct ContactsFields {
        /// A part of the customer's name or id.
        q: Filled<Short<{ limits::NAME_CHARS_MAX }>>, optional;
        /// Those after this one: `meta.after` of an earlier answer.
        cursor: RoomCursor, optional;
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Which customers are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactFilter {
    /// A part of a name, in lower case.
    pub text: Option<String>,
    /// Those after this one, by when which room of theirs last changed.
    pub after: Option<(Timestamp, RoomId)>,
    /// How many.
    pub size: usize,
}

impl ContactFilter {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ContactsFields { q, cursor, limit } = query.read()?;
        let after = match cursor {
            Some(RoomPlace::Updated(time, room)) => Some((time, room)),
            Some(RoomPlace::Waiting(..)) => {
                return Err(
                    FieldProblem::new("cursor", "must be the after of an earlier answer").into()
                );
            }
            None => None,
        };
        Ok(Self { text: q.map(|text| text.trim().to_lowercase()), after, size: limit })
    }

    /// Whether a customer of these names is wanted.
    pub fn matches(&self, names: [&str; 2]) -> bool {
        let text = self.text.as_deref();
        text.is_none_or(|text| names.iter().any(|it| it.to_lowercase().contains(text)))
    }
}

/// What a customer's line is written from.
pub struct ContactView<'a> {
    pub contact: UserKey,
    pub name: &'a str,
    pub channel: ChannelId,
    pub channel_name: &'a str,
    /// The kind of channel.
    pub source: &'a str,
    /// When one of their rooms last changed.
    pub last_seen_at: Timestamp,
    /// How many rooms of theirs the caller sees.
    pub rooms: usize,
    pub is_blocked: bool,
}

/// A customer among others.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedContact<'a> {
    id: i64,
    name: &'a str,
    channel_id: i64,
    channel_name: &'a str,
    /// The kind of channel.
    source: &'a str,
    /// When one of their rooms last changed.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_seen_at: String,
    /// How many rooms of theirs the caller sees.
    rooms: usize,
    /// Whether they may write no more.
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

/// `{contacts}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactList<'a> {
    contacts: Vec<ListedContact<'a>>,
}

/// A page of customers, and where the list goes on.
pub fn contact_list<'a>(
    views: &[ContactView<'a>],
    after: Option<(Timestamp, RoomId)>,
    size: usize,
) -> DataPage<ContactList<'a>> {
    let after = after.map(|(time, room)| RoomPlace::Updated(time, room));
    let contacts = views.iter().map(ListedContact::from).collect();
    page(ContactList { contacts }, rooms_meta(after, None, size, None))
}
