//! Customers' rooms as an inbox lists them (wire facts 5.5).

use confab_domain::agents::agent::Person;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ChannelId, ID_END, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::rating::Rating;
use confab_domain::refusal::Refusal;
use confab_domain::support::customer_room::CustomerRoom;
use confab_domain::support::seen_mark::SeenMark;
use confab_domain::support::tag::StoredTag;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;
use serde::Serialize;
use utoipa::ToSchema;

use super::PageMeta;
use crate::body::Body;
use crate::fields::{Filled, Flag, Id, PageSize, Short, Within, field};
use crate::person::{PersonShape, person};
use crate::reading::{Given, Reading};
use crate::request::request;
use crate::time::{to_the_microsecond, to_the_second};

request! {
    /// `GET /api/v2/customer_rooms`: in the query or in a JSON body.
    pub struct CustomerRoomsFields as "FindCustomerRooms" {
        /// A JSON list of `{source, channel_id}`: only rooms of these channels.
        channels: Channels, or vec![];
        /// `served` or `unserved`.
        serve_status: Served, optional;
        /// `resolved` or `unresolved`.
        status: Resolved, optional;
        /// Whether a bot answers.
        is_handled_by_bot: Flag, optional;
        /// Only rooms that this agent serves; with `status=resolved`, those that they served.
        agent: Id, optional;
        /// `me`: the same as `agent` with one's own integer, and it wins.
        served_by: Me, optional;
        /// Only rooms with this tag.
        tag: Filled<Short<{ limits::LABEL_CHARS_MAX }>>, optional;
        /// A part of the room's name, the customer's name or the customer's id.
        text: Filled<Short<{ limits::NAME_CHARS_MAX }>>, optional, also = "name";
        /// `updated`: the one that last changed first. `waiting`: those who wait for an agent
        /// first, the longest first of them; this list has no `meta.before`.
        sort: SortedBy, or RoomOrder::Updated, default = || "updated".into();
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
        /// From 1 on, for who does not go on by cursors, which win. Pages end after 5,000 rooms;
        /// cursors do not.
        page: Within<1, { u32::MAX }>, or 1, default = || 1.into();
        /// Those after this one: `meta.after` of an earlier answer.
        cursor_after: RoomCursor, optional;
        /// Those before this one: `meta.before` of an earlier answer. It wins over `cursor_after`.
        cursor_before: RoomCursor, optional;
    }
}

/// Which rooms are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomFilter {
    /// Of these channels; of all if there are none.
    pub channels: Vec<ChannelId>,
    /// Served or unserved.
    pub is_served: Option<bool>,
    /// Resolved or not.
    pub is_resolved: Option<bool>,
    /// Whether a bot answers.
    pub is_handled_by_bot: Option<bool>,
    /// Served by this agent.
    pub agent: Option<AgentId>,
    /// Served by whoever asks.
    pub is_own: bool,
    /// With this tag.
    pub tag: Option<String>,
    /// A part of a name, in lower case.
    pub text: Option<String>,
    /// In which order.
    pub order: RoomOrder,
    /// How many.
    pub size: usize,
    /// How many of the wanted are on the pages before.
    pub skipped: usize,
    /// Those after this one.
    pub after: Option<RoomPlace>,
    /// Those before this one.
    pub before: Option<(Timestamp, RoomId)>,
}

/// The order of a list of rooms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RoomOrder {
    /// The one that last changed first.
    #[default]
    Updated,
    /// Those who wait first, the longest first of them; then the others.
    Waiting,
}

/// Where a list goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomPlace {
    /// Among those who wait, by since when.
    Waiting(Timestamp, RoomId),
    /// By when the room last changed.
    Updated(Timestamp, RoomId),
}

impl RoomFilter {
    /// Reads the query or the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: CustomerRoomsFields = body.read()?;
        if fields.sort == RoomOrder::Waiting && fields.cursor_before.is_some() {
            return Err(FieldProblem::new("cursor_before", "does not go with sort=waiting").into());
        }
        let before = match fields.cursor_before {
            Some(RoomPlace::Updated(time, room)) => Some((time, room)),
            Some(RoomPlace::Waiting(..)) => {
                return Err(FieldProblem::new("cursor_before", NO_CURSOR).into());
            }
            None => None,
        };
        let is_by_cursor = fields.cursor_after.is_some() || fields.cursor_before.is_some();
        let pages_before = if is_by_cursor { 0 } else { fields.page as usize - 1 };
        Ok(Self {
            channels: fields.channels,
            is_served: fields.serve_status,
            is_resolved: fields.status,
            is_handled_by_bot: fields.is_handled_by_bot,
            agent: fields.agent.map(AgentId),
            is_own: fields.served_by.is_some(),
            tag: fields.tag,
            order: fields.sort,
            text: fields.text.map(|text| text.to_lowercase()),
            size: fields.limit,
            skipped: pages_before.saturating_mul(fields.limit),
            after: fields.cursor_after,
            before,
        })
    }

    /// The same asked by this person, or by the app itself, which serves nothing.
    pub fn of_caller(self, caller: Option<AgentId>) -> Result<Self, Refusal> {
        match (self.is_own, caller) {
            (false, _) => Ok(self),
            (true, Some(_)) => Ok(Self { agent: caller, ..self }),
            (true, None) => Err(FieldProblem::new("served_by", "needs a person's token").into()),
        }
    }

    /// Whether a room is wanted, as far as it shows that itself. Who serves it and its tags do not
    /// show.
    pub fn matches(&self, room: &CustomerRoom, names: [&str; 3]) -> bool {
        let is_served = room.is_open() && room.waits_since.is_none();
        let is_unserved = room.waits_since.is_some();
        let text = self.text.as_deref();
        (self.channels.is_empty() || self.channels.contains(&room.channel))
            && self.is_served.is_none_or(|served| if served { is_served } else { is_unserved })
            && self.is_resolved.is_none_or(|resolved| resolved == room.is_resolved())
            && self.is_handled_by_bot.is_none_or(|bot| bot == room.is_handled_by_bot)
            && text.is_none_or(|text| names.iter().any(|it| it.to_lowercase().contains(text)))
    }
}

field! {
    Served -> bool;
    |reading, field, given| read_either(reading, field, given, ["served", "unserved"])
}

field! {
    Resolved -> bool;
    |reading, field, given| read_either(reading, field, given, ["resolved", "unresolved"])
}

fn read_either(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    [yes, no]: [&str; 2],
) -> Option<bool> {
    match reading.filled_text(field, given)? {
        text if text == yes => Some(true),
        text if text == no => Some(false),
        _ => reading.wrong(field, format!("must be {yes} or {no}")),
    }
}

field! {
    /// Whoever asks.
    Me -> ();
    |reading, field, given| match reading.filled_text(field, given)?.as_ref() {
        "me" => Some(()),
        _ => reading.wrong(field, "must be me"),
    }
}

field! {
    SortedBy -> RoomOrder;
    |reading, field, given| match reading.filled_text(field, given)?.as_ref() {
        "updated" => Some(RoomOrder::Updated),
        "waiting" => Some(RoomOrder::Waiting),
        _ => reading.wrong(field, "must be updated or waiting"),
    }
}

const NO_CURSOR: &str = "must be the after or before of an earlier answer";

field! {
    Channels -> Vec<ChannelId>;
    |reading, field, given| {
        if given.is_empty_list() {
            return None;
        }
        let opened = reading.free_json(field, given)?;
        let items = reading.items(field, Given::of(&opened), limits::CALL_ROOMS_MAX)?;
        let mut channels = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            let Some(object) = reading.object(&format!("{field}[{at}]"), item) else { continue };
            let path = object.path("channel_id");
            let id = Id::read(reading, &path, object.get("channel_id"));
            channels.extend(reading.needed(&path, id).map(ChannelId));
        }
        Some(channels)
    }
}

field! {
    /// Where a list goes on; an empty text counts as missing.
    pub(super) RoomCursor -> RoomPlace;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        let (waiting, place) = match text.strip_prefix('w') {
            Some(place) => (true, place),
            None => (false, &*text),
        };
        let parsed = place.split_once('-').and_then(|(time, room)| {
            let room = room.parse().ok().filter(|room| (0..ID_END).contains(room)).map(RoomId)?;
            let time = Timestamp(time.parse().ok()?);
            let place = if waiting { RoomPlace::Waiting } else { RoomPlace::Updated };
            Some(place(time, room))
        });
        parsed.or_else(|| reading.wrong(field, NO_CURSOR))
    }
}

/// Where a list goes on, behind and before, and how many it has if that was counted.
pub fn rooms_meta(
    after: Option<RoomPlace>,
    before: Option<RoomPlace>,
    size: usize,
    total: Option<usize>,
) -> PageMeta {
    let cursor = |place: RoomPlace| match place {
        RoomPlace::Waiting(time, room) => format!("w{}-{room}", time.0),
        RoomPlace::Updated(time, room) => format!("{}-{room}", time.0),
    };
    PageMeta {
        after: after.map(cursor),
        before: before.map(cursor),
        per_page: size,
        total_count: total.map(|total| total as u64),
    }
}

/// What a room's shape is written from.
pub struct RoomView<'a> {
    /// What the room is to its customer.
    pub customer_room: &'a CustomerRoom,
    /// The room's name.
    pub name: &'a str,
    /// The room's picture, or an empty text.
    pub avatar_url: &'a str,
    /// Whom it serves.
    pub customer: &'a str,
    /// The kind of channel.
    pub source: &'a str,
    /// The channel's name for people.
    pub channel_name: &'a str,
    /// The name of whoever served the newest session last.
    pub served_by: Option<&'a str>,
    pub tags: &'a [StoredTag],
    /// Rises with every change of what is shown.
    pub version: i64,
    /// Who looks, if it is a person.
    pub viewer: Option<UserKey>,
    /// Up to where they have seen it.
    pub seen: SeenMark,
    /// Its newest messages, the newest first.
    pub said: &'a [std::sync::Arc<PostedMessage>],
    /// Who serves.
    pub agents: &'a [AgentProfile],
    /// Who resolved the newest conversation.
    pub resolved_by: Option<&'a Person>,
    /// When the customer's window closes, or closed, where their service has one.
    pub window_closes_at: Option<Timestamp>,
    /// The time now.
    pub now: Timestamp,
}

/// A customer's room.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomerRoom)]
pub struct CustomerRoomShape<'a> {
    /// Who serves.
    agents: Vec<PersonShape<'a>>,
    channel_id: i64,
    channel_name: &'a str,
    /// The customer's integer: see `/api/v2/contacts/properties/{contact_id}`.
    contact_id: i64,
    /// When somebody who works in the app first answered in the newest conversation.
    first_reply_at: Option<String>,
    id: i64,
    is_handled_by_bot: bool,
    is_resolved: bool,
    /// Whoever asks has seen everything that the customer said: they read it, or answered.
    is_seen: bool,
    is_waiting: bool,
    last_comment_id: Option<String>,
    last_comment_sender: Option<&'a str>,
    /// `customer`, `agent` or `system`.
    last_comment_sender_type: Option<&'static str>,
    last_comment_text: Option<&'a str>,
    last_comment_timestamp: Option<String>,
    last_comment_type: Option<&'static str>,
    /// Of the newest messages.
    last_customer_comment_text: Option<&'a str>,
    last_customer_timestamp: Option<String>,
    name: &'a str,
    /// What is to be remembered of the newest conversation.
    notes: Option<&'a str>,
    /// When the newest conversation began.
    opened_at: Option<String>,
    /// What the customer said about it after its end, from 1 (bad) to 5 (good).
    rating: Option<i64>,
    /// When they said so.
    rated_at: Option<String>,
    /// When it ended.
    resolved_at: Option<String>,
    /// Who resolved the newest conversation; null while it is open.
    resolved_by: Option<PersonShape<'a>>,
    room_badge: Option<&'a str>,
    room_id: String,
    room_type: &'static str,
    /// Who serves the newest conversation, or served it last.
    served_by: Option<PersonShape<'a>>,
    /// The newest conversation.
    session_id: Option<String>,
    source: &'a str,
    tags: Vec<RowTag<'a>>,
    /// The customer's newest messages that nobody has answered; at most 20 are counted.
    unread_count: usize,
    /// When something of it last changed, to the microsecond: lists have the latest first, and of
    /// two at once the one of the higher `id`.
    updated_at: String,
    user_avatar_url: &'a str,
    user_id: &'a str,
    /// Rises with every change of what is shown here, but for what only whoever asks sees: a row
    /// never replaces one with a higher number.
    version: i64,
    /// How long the customer has waited for an agent; null while nobody needs to come.
    waiting_seconds: Option<i64>,
    /// Since when.
    waiting_since: Option<String>,
    /// Until when the customer's service takes any answer, or did: later only templates. Null where
    /// it has no such bound, or the customer never wrote.
    window_closes_at: Option<String>,
}

/// A tag on a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct RowTag<'a> {
    /// As `#rrggbb`, if it has one.
    colour: Option<&'a str>,
    id: i64,
    name: &'a str,
}

impl<'a> RoomView<'a> {
    fn is_seen(&self) -> bool {
        let last = |sender: UserKey| {
            let mut said = self.said.iter().filter(|said| !self.is_survey_answer(said));
            said.find(|it| it.message.sender == sender).map(|it| it.message.number)
        };
        self.seen.is_seen(last(self.customer_room.customer), self.viewer.and_then(last))
    }

    /// Whatever a customer says after the end of a conversation, and that opened no other one,
    /// says how it was: it asks nobody for an answer (D-0136).
    fn is_survey_answer(&self, said: &PostedMessage) -> bool {
        let room = self.customer_room;
        let ended = room.session.as_ref().filter(|it| it.resolved_at.is_some());
        let is_after = ended.is_some_and(|session| said.message.id > session.last_message);
        is_after && said.message.sender == room.customer
    }

    fn served_by(&self) -> Option<PersonShape<'a>> {
        let id = self.customer_room.session.as_ref()?.served_by?.0;
        Some(PersonShape { id, name: self.served_by? })
    }

    fn tags(&self) -> Vec<RowTag<'a>> {
        let tag = |it: &'a StoredTag| RowTag {
            colour: it.colour.as_deref(),
            id: it.tag.id.0,
            name: &it.tag.name,
        };
        self.tags.iter().map(tag).collect()
    }
}

impl<'a> From<&RoomView<'a>> for CustomerRoomShape<'a> {
    fn from(view: &RoomView<'a>) -> Self {
        let room = view.customer_room;
        let session = room.session.as_ref();
        let last = view.said.first();
        let is_customer =
            |said: &&std::sync::Arc<PostedMessage>| said.message.sender == room.customer;
        let last_customer = view.said.iter().find(is_customer);
        // What is said by itself answers nobody (D-0102).
        let is_system = |said: &std::sync::Arc<PostedMessage>| {
            matches!(said.message.kind, MessageKind::SystemEvent) || said.sender.is_system()
        };
        let spoken = view.said.iter();
        let spoken = spoken.filter(|said| !is_system(said) && !view.is_survey_answer(said));
        let sender_type = |said: &std::sync::Arc<PostedMessage>| match is_system(said) {
            true => "system",
            false if said.message.sender == room.customer => "customer",
            false => "agent",
        };
        let waited = |since: Timestamp| (view.now.0 - since.0).max(0) / 1_000_000;
        let name = |it: &'a AgentProfile| PersonShape { id: it.user.id.0, name: &it.user.name };
        Self {
            agents: view.agents.iter().map(name).collect(),
            channel_id: room.channel.0,
            channel_name: view.channel_name,
            contact_id: room.customer.0,
            first_reply_at: session.and_then(|it| it.first_reply_at).map(to_the_second),
            id: room.room.0,
            is_handled_by_bot: room.is_handled_by_bot,
            is_resolved: room.is_resolved(),
            is_seen: view.is_seen(),
            is_waiting: room.waits_since.is_some(),
            last_comment_id: last.map(|said| said.message.id.to_string()),
            last_comment_sender: last.map(|said| said.sender.username.as_str()),
            last_comment_sender_type: last.map(sender_type),
            last_comment_text: last.map(|said| said.message.text.as_str()),
            last_comment_timestamp: last.map(|said| to_the_second(said.message.posted_at)),
            last_comment_type: last.map(|said| said.message.kind.as_str()),
            last_customer_comment_text: last_customer.map(|said| said.message.text.as_str()),
            last_customer_timestamp: last_customer
                .map(|said| to_the_second(said.message.posted_at)),
            name: view.name,
            notes: session.and_then(|session| session.notes.as_deref()),
            opened_at: session.map(|session| to_the_second(session.created_at)),
            rating: session.and_then(|session| session.rating).map(Rating::number),
            rated_at: session.and_then(|session| session.rated_at).map(to_the_second),
            resolved_at: session.and_then(|session| session.resolved_at).map(to_the_second),
            resolved_by: person(view.resolved_by),
            room_badge: room.badge_url.as_deref(),
            room_id: room.room.to_string(),
            room_type: "individual",
            served_by: view.served_by(),
            session_id: session.map(|session| session.id.to_string()),
            source: view.source,
            tags: view.tags(),
            unread_count: spoken.take_while(is_customer).count(),
            updated_at: to_the_microsecond(room.updated_at),
            user_avatar_url: view.avatar_url,
            user_id: view.customer,
            version: view.version,
            waiting_seconds: room.waits_since.map(waited),
            waiting_since: room.waits_since.map(to_the_second),
            window_closes_at: view.window_closes_at.map(to_the_second),
        }
    }
}

/// `{customer_rooms}`
#[derive(Debug, Serialize, ToSchema)]
pub struct CustomerRoomList<'a> {
    customer_rooms: Vec<CustomerRoomShape<'a>>,
}

/// Rooms.
pub fn room_list<'a>(views: &[RoomView<'a>]) -> CustomerRoomList<'a> {
    CustomerRoomList { customer_rooms: views.iter().map(CustomerRoomShape::from).collect() }
}

/// `{customer_room}`
#[derive(Debug, Serialize, ToSchema)]
pub struct CustomerRoomBox<'a> {
    customer_room: CustomerRoomShape<'a>,
}

/// One room.
pub fn one_room<'a>(view: &RoomView<'a>) -> CustomerRoomBox<'a> {
    CustomerRoomBox { customer_room: view.into() }
}
