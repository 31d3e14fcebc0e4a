//! What is asked about agents and sessions.

use confab_domain::ids::{AgentId, ChannelId, ID_END, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::allocating::{AssignAgent, AssignChosen, AssignmentOptions};
use confab_domain::support::resolving::Resolution;

use crate::body::Body;
use crate::fields::{self, Filled, Flag, Id, IdText, PageSize, Short, Within, field};
use crate::request::request;

request! {
    /// `assign_agent`, `add_agent`, `remove_agent`
    pub struct AssignAgentFields as "AssignAgent" {
        /// The customer's room.
        room_id: IdText, required, example = "55";
        /// Who.
        agent_id: Id, required;
        /// At most so many agents in the room, if fewer than the app allows.
        max_agent: Count, optional;
        /// The one who came last leaves.
        replace_latest_agent: Flag, or false;
    }
}

/// Reads the rule.
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
    /// How many at most, from 1.
    Count -> u32, Within::<1, { u32::MAX }>::SHAPE;
    |reading, field, given| {
        let count = Id::read(reading, field, given)?;
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

request! {
    /// `allocate_agent`
    pub struct AllocateAgentFields as "AllocateAgent" {
        /// The channel whose customer the agent shall serve; without it one of `source`.
        channel_id: Id, optional;
        /// The kind of channel, where `channel_id` names none. A kind that the app has no channel
        /// of narrows nothing.
        source: Filled<Short<{ limits::LABEL_CHARS_MAX }>>, optional, example = "custom";
        /// Agents who are away may be chosen, too.
        ignore_availability: Flag, or false;
    }
}

/// For which channel an agent shall be chosen.
#[derive(Debug, Clone)]
pub struct AllocateAgent {
    /// The channel.
    pub channel: Option<ChannelId>,
    /// The kind of channel.
    pub source: Option<String>,
    /// Agents who are away may be chosen, too.
    pub ignores_availability: bool,
}

impl AllocateAgent {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let AllocateAgentFields { channel_id, source, ignore_availability } = body.read()?;
        let ignores_availability = ignore_availability;
        Ok(Self { channel: channel_id.map(ChannelId), source, ignores_availability })
    }
}

request! {
    /// `allocate_assign_agent`
    pub struct AllocateAssignAgentFields as "AllocateAssignAgent" {
        /// The customer's room.
        room_id: IdText, required, example = "55";
        /// Agents who are away may be chosen, too.
        ignore_agent_availability: Flag, or false;
    }
}

/// Reads the rule.
pub fn read_allocate_assign(body: &Body<'_>) -> Result<AssignChosen, Refusal> {
    let AllocateAssignAgentFields { room_id, ignore_agent_availability } = body.read()?;
    let room = RoomId(room_id);
    Ok(AssignChosen { room, ignores_availability: ignore_agent_availability, by: None })
}

request! {
    /// `mark_as_resolved`
    pub struct MarkAsResolvedFields as "MarkAsResolved" {
        /// The customer's room.
        room_id: IdText, required, example = "55";
        /// What is to be remembered of the conversation.
        notes: Filled<Short<{ limits::INFO_CHARS_MAX }>>, optional;
        /// The last message of the conversation; the newest of the room if it is absent or 0.
        last_comment_id: LastMessage, optional;
    }
    unread {
        /// Taken and not used: this server sends no mail.
        is_send_email: Flag, optional;
        /// Taken and not used: nothing shows them (D-0039).
        extras: fields::Properties, optional;
    }
}

/// Reads `mark_as_resolved`: the room, and how its session ends.
pub fn read_mark_as_resolved(body: &Body<'_>) -> Result<(RoomId, Resolution), Refusal> {
    let MarkAsResolvedFields { room_id, notes, last_comment_id: last_message } = body.read()?;
    Ok((RoomId(room_id), Resolution { notes, last_message }))
}

field! {
    /// The integer of a message; 0 and an empty text are none.
    LastMessage -> MessageId;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty() && text != "0")?;
        match text.parse().ok().filter(|id| (1..ID_END).contains(id)) {
            Some(id) => Some(MessageId(id)),
            None => reading.wrong(field, "must be the integer of a message"),
        }
    }
}

request! {
    /// A call about one room.
    pub struct OfRoomFields as "OfRoom" {
        /// The customer's room.
        room_id: IdText, optional, example = "55";
    }
}

/// Reads a room that may be named.
pub fn read_room(body: &Body<'_>) -> Result<Option<RoomId>, Refusal> {
    body.read().map(|fields: OfRoomFields| fields.room_id.map(RoomId))
}

/// Reads a room that must be named.
pub fn read_needed_room(body: &Body<'_>) -> Result<RoomId, Refusal> {
    body.read_then(|fields: OfRoomFields, reading| {
        reading.needed("room_id", fields.room_id).map(RoomId)
    })
}

request! {
    /// `available_agents`, `other_agents`
    pub struct AgentsFields as "AgentsOfRoom" {
        /// The customer's room.
        room_id: IdText, required;
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
        /// Those after this one: `meta.after` of an earlier answer.
        cursor_after: IdText, optional;
        /// Those before this one: `meta.before` of an earlier answer.
        cursor_before: IdText, optional;
        /// Only those who serve the room, or only those who do not.
        is_available_in_room: Flag, optional;
    }
}

/// Which agents are wanted.
#[derive(Debug, Clone, Copy)]
pub struct AgentFilter {
    /// The customer's room.
    pub room: RoomId,
    /// How many on a page.
    pub size: usize,
    /// Those after this one.
    pub after: Option<AgentId>,
    /// Those before this one.
    pub before: Option<AgentId>,
    /// Only those who serve the room, or only those who do not.
    pub is_in_room: Option<bool>,
}

impl AgentFilter {
    /// Reads the query.
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
