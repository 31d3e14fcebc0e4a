//! What is asked about agents and sessions.

use confab_domain::ids::{ChannelId, DashboardUserId, ID_END, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::allocating::Wish;
use confab_domain::service::resolving::Ending;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{read_id, read_limit, read_needed_id};
use crate::body::Body;
use crate::reading::{Given, Reading};

/// `assign_agent`, `add_agent`, `remove_agent`
#[derive(Deserialize, ToSchema)]
#[schema(as = AssignAgent)]
pub struct AssignAgentFields<'a> {
    /// The customer's room.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// Who.
    #[schema(value_type = i64, required = true)]
    #[serde(default)]
    agent_id: Given<'a>,
    /// At most so many agents in the room, if fewer than the app allows.
    #[schema(value_type = Option<u32>, minimum = 1)]
    #[serde(default)]
    max_agent: Given<'a>,
    /// The one who came last leaves.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    replace_latest_agent: Given<'a>,
}

/// An agent, a room, and how they come together.
#[derive(Debug, Clone, Copy)]
pub struct AssignAgent {
    /// The customer's room.
    pub room: RoomId,
    /// Who.
    pub agent: DashboardUserId,
    /// How.
    pub wish: Wish,
}

impl AssignAgent {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: AssignAgentFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let room = read_needed_id(&mut reading, "room_id", fields.room_id);
        let agent = read_needed_id(&mut reading, "agent_id", fields.agent_id);
        let agents_max = read_id(&mut reading, "max_agent", fields.max_agent);
        let replaces_latest = reading.boolean("replace_latest_agent", fields.replace_latest_agent);
        let (Some(room), Some(agent)) = (room, agent) else { return Err(reading.refusal()) };
        reading.finish()?;
        let wish = Wish {
            agents_max: agents_max.map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
            replaces_latest: replaces_latest.unwrap_or(false),
            asked_by: None,
        };
        Ok(Self { room: RoomId(room), agent: DashboardUserId(agent), wish })
    }
}

/// `allocate_agent`
#[derive(Deserialize, ToSchema)]
#[schema(as = AllocateAgent)]
pub struct AllocateAgentFields<'a> {
    /// The channel.
    #[schema(value_type = i64, required = true)]
    #[serde(borrow, default)]
    channel_id: Given<'a>,
    /// Taken and not used: the channel's integer says what kind it is of.
    #[schema(value_type = Option<String>)]
    #[serde(default, rename = "source")]
    _source: Given<'a>,
    /// Agents who are away may be chosen, too.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    ignore_availability: Given<'a>,
}

/// For which channel an agent shall be chosen.
#[derive(Debug, Clone, Copy)]
pub struct AllocateAgent {
    /// The channel.
    pub channel: ChannelId,
    /// Agents who are away may be chosen, too.
    pub ignores_availability: bool,
}

impl AllocateAgent {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: AllocateAgentFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let channel = read_needed_id(&mut reading, "channel_id", fields.channel_id);
        let ignores = reading.boolean("ignore_availability", fields.ignore_availability);
        let Some(channel) = channel else { return Err(reading.refusal()) };
        reading.finish()?;
        let ignores_availability = ignores.unwrap_or(false);
        Ok(Self { channel: ChannelId(channel), ignores_availability })
    }
}

/// `allocate_assign_agent`
#[derive(Deserialize, ToSchema)]
#[schema(as = AllocateAssignAgent)]
pub struct AllocateAssignAgentFields<'a> {
    /// The customer's room.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// Agents who are away may be chosen, too.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    ignore_agent_availability: Given<'a>,
}

/// Reads `allocate_assign_agent`: the room, and whether agents who are away may be chosen, too.
pub fn read_allocate_assign(body: &Body<'_>) -> Result<(RoomId, bool), Refusal> {
    let fields: AllocateAssignAgentFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_needed_id(&mut reading, "room_id", fields.room_id);
    let ignores = fields.ignore_agent_availability;
    let ignores = reading.boolean("ignore_agent_availability", ignores);
    let Some(room) = room else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((RoomId(room), ignores.unwrap_or(false)))
}

/// `mark_as_resolved`
#[derive(Deserialize, ToSchema)]
#[schema(as = MarkAsResolved)]
pub struct MarkAsResolvedFields<'a> {
    /// The customer's room.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// What is to be remembered of the conversation.
    #[schema(value_type = Option<String>, max_length = 4000)]
    #[serde(default)]
    notes: Given<'a>,
    /// The last message of the conversation; the newest of the room if it is absent or 0.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    last_comment_id: Given<'a>,
    /// Taken and not used: this server sends no mail.
    #[schema(value_type = Option<bool>)]
    #[serde(default, rename = "is_send_email")]
    _is_send_email: Given<'a>,
    /// Taken and not used: nothing shows them (D-0039).
    #[schema(value_type = Option<Object>)]
    #[serde(default, rename = "extras")]
    _extras: Given<'a>,
}

/// Reads `mark_as_resolved`: the room, and how its session ends.
pub fn read_mark_as_resolved(body: &Body<'_>) -> Result<(RoomId, Ending), Refusal> {
    let fields: MarkAsResolvedFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_needed_id(&mut reading, "room_id", fields.room_id);
    let notes = reading.short_text("notes", fields.notes, limits::INFO_CHARS_MAX);
    let last_message = read_last_comment(&mut reading, fields.last_comment_id);
    let Some(room) = room else { return Err(reading.refusal()) };
    reading.finish()?;
    let notes = notes.filter(|notes| !notes.is_empty());
    Ok((RoomId(room), Ending { notes, last_message }))
}

/// The integer of a message; 0 and an empty text are none.
fn read_last_comment(reading: &mut Reading, given: Given<'_>) -> Option<MessageId> {
    const FIELD: &str = "last_comment_id";
    let text = reading.key(FIELD, given).filter(|text| !text.is_empty() && text != "0")?;
    match text.parse().ok().filter(|id| (1..ID_END).contains(id)) {
        Some(id) => Some(MessageId(id)),
        None => reading.wrong(FIELD, "must be the integer of a message"),
    }
}

/// A call about one room.
#[derive(Deserialize, ToSchema)]
#[schema(as = OfRoom)]
pub struct OfRoomFields<'a> {
    /// The customer's room.
    #[schema(value_type = Option<String>, example = "55")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
}

/// Reads a room that may be named.
pub fn read_room(body: &Body<'_>) -> Result<Option<RoomId>, Refusal> {
    let fields: OfRoomFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_id(&mut reading, "room_id", fields.room_id);
    reading.finish()?;
    Ok(room.map(RoomId))
}

/// Reads a room that must be named.
pub fn read_needed_room(body: &Body<'_>) -> Result<RoomId, Refusal> {
    let room = read_room(body)?;
    let mut reading = Reading::default();
    let room = reading.needed("room_id", room);
    room.ok_or_else(|| reading.refusal())
}

/// `available_agents`, `other_agents`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AgentsFields<'a> {
    /// The customer's room.
    #[param(value_type = String)]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// How many on a page; 20 if absent, at most 100.
    #[param(value_type = Option<u32>)]
    #[serde(default)]
    limit: Given<'a>,
    /// Those after this one: `meta.after` of an earlier answer.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    cursor_after: Given<'a>,
    /// Those before this one: `meta.before` of an earlier answer.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    cursor_before: Given<'a>,
    /// Only those who serve the room, or only those who do not.
    #[param(value_type = Option<bool>)]
    #[serde(default)]
    is_available_in_room: Given<'a>,
}

/// Which agents are wanted.
#[derive(Debug, Clone, Copy)]
pub struct WantedAgents {
    /// The customer's room.
    pub room: RoomId,
    /// How many on a page.
    pub size: usize,
    /// Those after this one.
    pub after: Option<DashboardUserId>,
    /// Those before this one.
    pub before: Option<DashboardUserId>,
    /// Only those who serve the room, or only those who do not.
    pub is_in_room: Option<bool>,
}

impl WantedAgents {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: AgentsFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let room = read_needed_id(&mut reading, "room_id", fields.room_id);
        let after = read_id(&mut reading, "cursor_after", fields.cursor_after);
        let before = read_id(&mut reading, "cursor_before", fields.cursor_before);
        let is_in_room = reading.boolean("is_available_in_room", fields.is_available_in_room);
        let Some(room) = room else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self {
            room: RoomId(room),
            size: read_limit(fields.limit),
            after: after.map(DashboardUserId),
            before: before.map(DashboardUserId),
            is_in_room,
        })
    }
}
