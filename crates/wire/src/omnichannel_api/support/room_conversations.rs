//! The conversations of a customer's room in order.

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, ID_END, SessionId};
use confab_domain::limits;
use confab_domain::messages::rating::Rating;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::event::{ChannelSummary, Session};
use serde::Serialize;
use utoipa::ToSchema;

use super::{DataPage, PageMeta, page};
use crate::body::Body;
use crate::fields::{IdText, PageSize};
use crate::person::{PersonShape, person};
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Query of `GET /api/v2/customer_rooms/{room_id}/conversations`.
    pub struct RoomConversationsFields {
        /// `meta.after` of the previous page; older conversations are returned.
        cursor: IdText, optional;
        /// Conversations per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Parses a request for a page of conversations: the id that all of its conversations are below,
/// and the maximum number of conversations.
pub fn read_room_conversations(query: &Body<'_>) -> Result<(SessionId, usize), Refusal> {
    let RoomConversationsFields { cursor, limit } = query.read()?;
    Ok((SessionId(cursor.unwrap_or(ID_END)), limit))
}

/// A conversation of a room, from the customer's first message to its resolution.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoomConversation)]
pub struct RoomConversationShape<'a> {
    id: String,
    room_id: String,
    channel: ConversationChannel<'a>,
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    opened_at: String,
    /// Time of the resolution; null while the conversation is open.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    resolved_at: Option<String>,
    resolved_by: Option<PersonShape<'a>>,
    /// Agent who is assigned to the customer or, if none is, who was assigned last.
    served_by: Option<PersonShape<'a>>,
    /// Time of the first reply by staff.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    first_reply_at: Option<String>,
    first_reply_by: Option<PersonShape<'a>>,
    /// Rating by the customer, from 1 (bad) to 5 (good); null without one.
    #[schema(example = 5)]
    rating: Option<i64>,
    /// Time of the rating.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    rated_at: Option<String>,
    notes: Option<&'a str>,
    first_comment_id: String,
    last_comment_id: String,
}

/// Channel through which a customer writes.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationChannel<'a> {
    id: i64,
    name: &'a str,
    source: &'a str,
}

/// Response data with a list of conversations.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomConversationList<'a> {
    conversations: Vec<RoomConversationShape<'a>>,
}

/// Returns one page of conversations, newest first. `found` contains one conversation more than
/// `size` if there is a next page.
pub fn room_conversations<'a>(
    found: &'a [Session],
    size: usize,
    channel: &'a ChannelSummary,
    people: &'a [Person],
) -> DataPage<RoomConversationList<'a>> {
    let shown = &found[..found.len().min(size)];
    let after = shown.last().filter(|_| found.len() > size).map(|it| it.id.to_string());
    let meta = PageMeta { after, before: None, per_page: size, total_count: None };
    let shape = |it| conversation(it, channel, people);
    page(RoomConversationList { conversations: shown.iter().map(shape).collect() }, meta)
}

fn conversation<'a>(
    it: &'a Session,
    channel: &'a ChannelSummary,
    people: &'a [Person],
) -> RoomConversationShape<'a> {
    let agent = |id: Option<AgentId>| person(people.iter().find(|it| Some(it.id) == id));
    RoomConversationShape {
        id: it.id.to_string(),
        room_id: it.room.to_string(),
        channel: ConversationChannel {
            id: channel.id.0,
            name: &channel.name,
            source: &channel.source,
        },
        opened_at: to_the_microsecond(it.first_message_at),
        resolved_at: it.resolved_at.map(to_the_microsecond),
        resolved_by: agent(it.resolved_by),
        served_by: agent(it.served_by),
        first_reply_at: it.first_reply_at.map(to_the_microsecond),
        first_reply_by: agent(it.first_reply_by),
        rating: it.rating.map(Rating::number),
        rated_at: it.rated_at.map(to_the_microsecond),
        notes: it.notes.as_deref(),
        first_comment_id: it.first_message.to_string(),
        last_comment_id: it.last_message.to_string(),
    }
}
