//! Requests about assignment and resolution of conversations.

use confab_domain::ids::{AgentId, ChannelId, ID_END, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::assignment::allocating::{
    AssignAgent, AssignChosen, AssignmentOptions,
};
use confab_domain::support::conversations::resolving::Resolution;

use crate::body::Body;
use crate::fields::{self, Flag, Id, IdText, NonEmpty, PageSize, Short, Within, field};
use crate::request::request;

request! {
    /// Body of `assign_agent`, `add_agent` and `remove_agent`.
    pub struct AssignAgentFields as "AssignAgent" {
        /// Room id of the customer.
        room_id: IdText, required, example = "55";
        /// Id of the agent.
        agent_id: Id, required;
        /// Maximum number of agents in the room, if below the app's maximum.
        max_agent: Count, optional;
        /// Whether the agent who was assigned last is removed.
        replace_latest_agent: Flag, or false;
    }
}

/// Parses a request to assign an agent.
pub fn read_assign_agent(body: &Body<'_>) -> Result<AssignAgent, Refusal> {
    let AssignAgentFields { room_id, agent_id, max_agent, replace_latest_agent } = body.read()?;
    let wish = AssignmentOptions {
        agents_max: max_agent,
        replaces_latest: replace_latest_agent,
        asked_by: None,
    };
    Ok(AssignAgent { room: RoomId(room_id), agent: AgentId(agent_id), by: None, wish })
}

field! {
    /// A number of at least 1.
    Count -> u32, Within::<1, { u32::MAX }>::SHAPE;
    |reading, field, given| {
        let count = Id::read(reading, field, given)?;
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

request! {
    /// Body of `allocate_agent`.
    pub struct AllocateAgentFields as "AllocateAgent" {
        /// Id of the channel that the agent must serve. Without it, the agent must serve a channel
        /// of the kind `source`.
        channel_id: Id, optional;
        /// Kind of channel that the agent must serve, if `channel_id` is absent. Ignored if the app
        /// has no channel of this kind.
        source: NonEmpty<Short<{ limits::LABEL_CHARS_MAX }>>, optional, example = "custom";
        /// Whether unavailable agents may be selected.
        ignore_availability: Flag, or false;
    }
}

/// A request to select an agent.
#[derive(Debug, Clone)]
pub struct AllocateAgent {
    /// Channel that the agent must serve.
    pub channel: Option<ChannelId>,
    /// Kind of channel that the agent must serve.
    pub source: Option<String>,
    /// Whether unavailable agents may be selected.
    pub ignores_availability: bool,
}

impl AllocateAgent {
    /// Parses the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let AllocateAgentFields { channel_id, source, ignore_availability } = body.read()?;
        let ignores_availability = ignore_availability;
        Ok(Self { channel: channel_id.map(ChannelId), source, ignores_availability })
    }
}

request! {
    /// Body of `allocate_assign_agent`.
    pub struct AllocateAssignAgentFields as "AllocateAssignAgent" {
        /// Room id of the customer.
        room_id: IdText, required, example = "55";
        /// Whether unavailable agents may be selected.
        ignore_agent_availability: Flag, or false;
    }
}

/// Parses a request to select and assign an agent.
pub fn read_allocate_assign(body: &Body<'_>) -> Result<AssignChosen, Refusal> {
    let AllocateAssignAgentFields { room_id, ignore_agent_availability } = body.read()?;
    let room = RoomId(room_id);
    Ok(AssignChosen { room, ignores_availability: ignore_agent_availability, by: None })
}

request! {
    /// Body of `mark_as_resolved`.
    pub struct MarkAsResolvedFields as "MarkAsResolved" {
        /// Room id of the customer.
        room_id: IdText, required, example = "55";
        /// Resolution notes.
        notes: NonEmpty<Short<{ limits::INFO_CHARS_MAX }>>, optional;
        /// Id of the conversation's last message; the room's newest message if absent or 0.
        last_comment_id: LastMessage, optional;
    }
    unread {
        /// Accepted and ignored: no email is sent.
        is_send_email: Flag, optional;
        /// Accepted and ignored.
        extras: fields::Properties, optional;
    }
}

/// Parses a request to resolve a conversation.
pub fn read_mark_as_resolved(body: &Body<'_>) -> Result<(RoomId, Resolution), Refusal> {
    let MarkAsResolvedFields { room_id, notes, last_comment_id: last_message } = body.read()?;
    Ok((RoomId(room_id), Resolution { notes, last_message }))
}

field! {
    /// A message id; 0 and an empty string mean absent.
    LastMessage -> MessageId;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty() && text != "0")?;
        match text.parse().ok().filter(|id| (1..ID_END).contains(id)) {
            Some(id) => Some(MessageId(id)),
            None => reading.wrong(field, "must be the integer id of a message"),
        }
    }
}

request! {
    /// Body or query of a call about one room.
    pub struct OfRoomFields as "OfRoom" {
        /// Room id of the customer.
        room_id: IdText, optional, example = "55";
    }
}

/// Parses an optional room id.
pub fn read_room(body: &Body<'_>) -> Result<Option<RoomId>, Refusal> {
    body.read().map(|fields: OfRoomFields| fields.room_id.map(RoomId))
}

/// Parses a required room id.
pub fn read_needed_room(body: &Body<'_>) -> Result<RoomId, Refusal> {
    body.read_then(|fields: OfRoomFields, reading| {
        reading.needed("room_id", fields.room_id).map(RoomId)
    })
}

request! {
    /// Query of `available_agents` and `other_agents`.
    pub struct AgentsFields as "AgentsOfRoom" {
        /// Room id of the customer.
        room_id: IdText, required;
        /// Agents per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
        /// `meta.after` of the previous page.
        cursor_after: IdText, optional;
        /// `meta.before` of the next page.
        cursor_before: IdText, optional;
        /// `true` for agents who are assigned to the room, `false` for those who are not.
        is_available_in_room: Flag, optional;
    }
}

/// A request for one page of a room's agents.
#[derive(Debug, Clone, Copy)]
pub struct AgentFilter {
    pub room: RoomId,
    /// Agents per page.
    pub size: usize,
    /// Returns only agents with a greater id.
    pub after: Option<AgentId>,
    /// Returns only agents with a smaller id.
    pub before: Option<AgentId>,
    /// `Some(true)` for agents who are assigned to the room, `Some(false)` for those who are not.
    pub is_in_room: Option<bool>,
}

impl AgentFilter {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: AgentsFields = query.read()?;
        Ok(Self {
            room: RoomId(fields.room_id),
            size: fields.limit,
            after: fields.cursor_after.map(AgentId),
            before: fields.cursor_before.map(AgentId),
            is_in_room: fields.is_available_in_room,
        })
    }
}
