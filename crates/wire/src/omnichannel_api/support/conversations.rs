//! Export of all conversations of an app in order (wire facts 5.7).

use confab_domain::channels::channel::Channel;
use confab_domain::ids::{RoomId, SessionId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::{Candidate, ExportedSession};
use serde::Serialize;
use utoipa::ToSchema;

use super::{DataPage, PageMeta, page};
use crate::body::Body;
use crate::fields::{IdText, PageSize};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Query of `GET /api/v1/export/conversations`.
    pub struct ExportFields {
        /// `meta.after` of the previous page.
        cursor_after: IdText, optional;
        /// Room id, to return only the conversations of this room.
        room_id: IdText, optional;
        /// Conversations per page: 100 by default and at most.
        limit: PageSize, or limits::PAGE_MAX;
    }
}

/// A request for one page of conversations.
pub struct Export {
    /// Last conversation of the previous page.
    pub after: SessionId,
    /// Room whose conversations to return; all rooms if absent.
    pub room: Option<RoomId>,
    /// Conversations per page.
    pub size: usize,
}

/// Parses the query.
pub fn read_export(query: &Body<'_>) -> Result<Export, Refusal> {
    let ExportFields { cursor_after, room_id, limit: size } = query.read()?;
    let after = SessionId(cursor_after.unwrap_or(0));
    Ok(Export { after, room: room_id.map(RoomId), size })
}

/// A conversation, from its first message to its resolution.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExportedConversation)]
pub struct ConversationShape<'a> {
    id: i64,
    room_id: String,
    channel_id: i64,
    /// Name of the channel; null if the channel was deleted.
    channel_name: Option<&'a str>,
    customer_id: &'a str,
    customer_name: &'a str,
    /// Id of the last assigned agent.
    agent_id: Option<i64>,
    /// Name of the last assigned agent; null without one, or if their account was deleted.
    agent_name: Option<&'a str>,
    notes: Option<&'a str>,
    first_comment_id: String,
    last_comment_id: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    started_at: String,
    /// Time when an agent was first assigned.
    #[schema(example = "2026-01-31T10:00:00Z")]
    taken_at: Option<String>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    resolved_at: Option<String>,
    is_resolved: bool,
}

/// Response data with a list of conversations.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationList<'a> {
    conversations: Vec<ConversationShape<'a>>,
}

/// Returns a page of conversations, oldest first. A full page has a cursor for the next one.
pub fn exported<'a>(
    found: &'a [ExportedSession],
    size: usize,
    channels: &'a [Channel],
    agents: &'a [Candidate],
) -> DataPage<ConversationList<'a>> {
    let after = found.last().filter(|_| found.len() == size).map(|it| it.session.id.to_string());
    let meta = PageMeta { after, before: None, per_page: size, total_count: None };
    let shape = |it| conversation(it, channels, agents);
    page(ConversationList { conversations: found.iter().map(shape).collect() }, meta)
}

fn conversation<'a>(
    it: &'a ExportedSession,
    channels: &'a [Channel],
    agents: &'a [Candidate],
) -> ConversationShape<'a> {
    let session = &it.session;
    let channel = channels.iter().find(|channel| channel.id == it.channel);
    let agent = agents.iter().find(|agent| Some(agent.profile.user.id) == session.served_by);
    ConversationShape {
        id: session.id.0,
        room_id: session.room.to_string(),
        channel_id: it.channel.0,
        channel_name: channel.map(|channel| channel.name.as_str()),
        customer_id: it.customer.as_str(),
        customer_name: &it.customer_name,
        agent_id: session.served_by.map(|agent| agent.0),
        agent_name: agent.map(|agent| agent.profile.user.name.as_str()),
        notes: session.notes.as_deref(),
        first_comment_id: session.first_message.to_string(),
        last_comment_id: session.last_message.to_string(),
        started_at: to_the_second(session.first_message_at),
        taken_at: session.taken_at.map(to_the_second),
        resolved_at: session.resolved_at.map(to_the_second),
        is_resolved: session.resolved_at.is_some(),
    }
}
