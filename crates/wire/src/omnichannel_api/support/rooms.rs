//! Customer rooms in the lists of an inbox (wire facts 5.5).

use confab_domain::agents::agent::Person;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ChannelId, ID_END, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::rating::Rating;
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::seen_mark::SeenMark;
use confab_domain::support::annotations::tag::StoredTag;
use confab_domain::support::conversations::customer_room::CustomerRoom;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;
use serde::Serialize;
use utoipa::ToSchema;

use super::PageMeta;
use crate::body::Body;
use crate::fields::{Flag, Id, NonEmpty, PageSize, Short, Within, field};
use crate::person::{PersonShape, person};
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;
use crate::time::{to_the_microsecond, to_the_second};

request! {
    /// Query or JSON body of `GET /api/v2/customer_rooms`.
    pub struct CustomerRoomsFields as "FindCustomerRooms" {
        /// Channels whose rooms to return: a JSON list of `{source, channel_id}`.
        channels: Channels, or vec![];
        /// `served` for open conversations whose customer is not waiting, `unserved` for waiting
        /// customers.
        serve_status: Served, optional;
        /// State of the room's newest conversation: `resolved` or `unresolved`.
        status: Resolved, optional;
        /// `true` for rooms that a bot handles, `false` for other rooms.
        is_handled_by_bot: Flag, optional;
        /// Id of an agent, to return only rooms assigned to them; with `status=resolved`, rooms
        /// that they served.
        agent: Id, optional;
        /// `me`, to use the id of the caller as `agent`. Takes precedence over `agent`.
        served_by: Me, optional;
        /// Tag that the rooms must have.
        tag: NonEmpty<Short<{ limits::LABEL_CHARS_MAX }>>, optional;
        /// Part of the room's name, the customer's name or the customer's id.
        text: NonEmpty<Short<{ limits::NAME_CHARS_MAX }>>, optional, also = "name";
        /// Sort order. `updated`: latest change first. `waiting`: waiting customers first, those
        /// with the longest wait at the top; this order has no `meta.before`.
        sort: SortedBy, or RoomOrder::Updated, default = || "updated".into();
        /// Rooms per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
        /// Page number, from 1; ignored with a cursor. Pages end after 5,000 rooms, cursors do not.
        page: Within<1, { u32::MAX }>, or 1, default = || 1.into();
        /// `meta.after` of the previous page.
        cursor_after: RoomCursor, optional;
        /// `meta.before` of the next page. Takes precedence over `cursor_after`.
        cursor_before: RoomCursor, optional;
    }
}

/// A filter for rooms, with the position and size of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomFilter {
    /// Channels of the rooms; all channels if empty.
    pub channels: Vec<ChannelId>,
    /// `Some(true)` for open conversations whose customer is not waiting, `Some(false)` for waiting
    /// customers.
    pub is_served: Option<bool>,
    /// Whether the newest conversation must be resolved.
    pub is_resolved: Option<bool>,
    /// Whether a bot must handle the room.
    pub is_handled_by_bot: Option<bool>,
    /// Agent who must be assigned to the rooms or, if `is_resolved`, must have served them.
    pub agent: Option<AgentId>,
    /// Whether the caller must be assigned to the rooms.
    pub is_own: bool,
    /// Tag that the rooms must have.
    pub tag: Option<String>,
    /// Text that must occur in a name or id, in lower case.
    pub text: Option<String>,
    pub order: RoomOrder,
    /// Rooms per page.
    pub size: usize,
    /// Number of matching rooms on previous pages.
    pub skipped: usize,
    /// Last room of the previous page.
    pub after: Option<RoomPlace>,
    /// First room of the next page.
    pub before: Option<(Timestamp, RoomId)>,
}

/// The order of a list of rooms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RoomOrder {
    /// Latest change first.
    #[default]
    Updated,
    /// Waiting customers first, those with the longest wait at the top; then the other rooms.
    Waiting,
}

/// A position in a list of rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomPlace {
    /// Start of the wait, and id of a waiting customer's room.
    Waiting(Timestamp, RoomId),
    /// Time of the latest change, and id of a room.
    Updated(Timestamp, RoomId),
}

impl RoomFilter {
    /// Parses the query or body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: CustomerRoomsFields = body.read()?;
        if fields.sort == RoomOrder::Waiting && fields.cursor_before.is_some() {
            return Err(
                FieldProblem::new("cursor_before", "cannot be combined with sort=waiting").into()
            );
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

    /// Sets the caller as `agent` if `is_own` is set. Fails if the caller is the app itself.
    pub fn of_caller(self, caller: Option<AgentId>) -> Result<Self, Refusal> {
        match (self.is_own, caller) {
            (false, _) => Ok(self),
            (true, Some(_)) => Ok(Self { agent: caller, ..self }),
            (true, None) => {
                Err(FieldProblem::new("served_by", "requires the token of an agent").into())
            }
        }
    }

    /// Whether a room matches the filter, except for its agents and tags.
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
    reading: &mut FieldReader,
    field: &str,
    given: FieldJson<'_>,
    [yes, no]: [&str; 2],
) -> Option<bool> {
    match reading.filled_text(field, given)? {
        text if text == yes => Some(true),
        text if text == no => Some(false),
        _ => reading.wrong(field, format!("must be {yes} or {no}")),
    }
}

field! {
    /// The constant `me`.
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

const NO_CURSOR: &str = "must be the after or before of an earlier response";

field! {
    Channels -> Vec<ChannelId>;
    |reading, field, given| {
        if given.is_empty_list() {
            return None;
        }
        let opened = reading.free_json(field, given)?;
        let items = reading.items(field, FieldJson::of(&opened), limits::CALL_ROOMS_MAX)?;
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
    /// A cursor in a list of rooms; an empty string means absent.
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

/// Returns the cursors and size of a page. `total` is the number of all matching rooms, if counted.
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

/// The values for the public shape of a customer room.
pub struct RoomView<'a> {
    /// The room's customer support state.
    pub customer_room: &'a CustomerRoom,
    /// Name of the room.
    pub name: &'a str,
    /// Picture URL of the room, or an empty string.
    pub avatar_url: &'a str,
    /// User id of the customer.
    pub customer: &'a str,
    /// Kind of the channel.
    pub source: &'a str,
    /// Display name of the channel.
    pub channel_name: &'a str,
    /// Name of the last agent assigned in the newest session.
    pub served_by: Option<&'a str>,
    pub tags: &'a [StoredTag],
    /// Version of the room; increases with every visible change.
    pub version: i64,
    /// The caller, if it is an agent.
    pub viewer: Option<UserKey>,
    /// Position up to which the caller has read the room.
    pub seen: SeenMark,
    /// Newest messages of the room, newest first.
    pub posted: &'a [std::sync::Arc<PostedMessage>],
    /// Agents assigned to the room.
    pub agents: &'a [AgentProfile],
    /// Agent who resolved the newest conversation.
    pub resolved_by: Option<&'a Person>,
    /// Time when the messaging window of the customer's provider closes or closed, if the provider
    /// has one.
    pub window_closes_at: Option<Timestamp>,
    pub now: Timestamp,
}

/// A customer room.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomerRoom)]
pub struct CustomerRoomShape<'a> {
    /// Agents assigned to the room.
    agents: Vec<PersonShape<'a>>,
    channel_id: i64,
    channel_name: &'a str,
    /// Id of the customer, as in `/api/v2/contacts/properties/{contact_id}`.
    contact_id: i64,
    /// Time of the first reply by staff in the newest conversation.
    first_reply_at: Option<String>,
    id: i64,
    is_handled_by_bot: bool,
    is_resolved: bool,
    /// Whether the caller has read all messages of the customer, or replied after them.
    is_seen: bool,
    is_waiting: bool,
    last_comment_id: Option<String>,
    last_comment_sender: Option<&'a str>,
    /// Kind of the last message's sender: `customer`, `agent` or `system`.
    last_comment_sender_type: Option<&'static str>,
    last_comment_text: Option<&'a str>,
    last_comment_timestamp: Option<String>,
    last_comment_type: Option<&'static str>,
    /// Text of the customer's last message; null if it is not among the newest messages of the
    /// room.
    last_customer_comment_text: Option<&'a str>,
    last_customer_timestamp: Option<String>,
    name: &'a str,
    /// Resolution notes of the newest conversation.
    notes: Option<&'a str>,
    /// Start of the newest conversation.
    opened_at: Option<String>,
    /// Rating of the newest conversation by the customer, from 1 (bad) to 5 (good).
    rating: Option<i64>,
    /// Time of the rating.
    rated_at: Option<String>,
    /// Time when the newest conversation was resolved.
    resolved_at: Option<String>,
    /// Agent who resolved the newest conversation; null while it is open.
    resolved_by: Option<PersonShape<'a>>,
    room_badge: Option<&'a str>,
    room_id: String,
    room_type: &'static str,
    /// Agent who is assigned to the newest conversation or, if none is, who was assigned last.
    served_by: Option<PersonShape<'a>>,
    /// Id of the newest conversation.
    session_id: Option<String>,
    source: &'a str,
    tags: Vec<RowTag<'a>>,
    /// Number of the customer's newest messages without a reply, at most 20.
    unread_count: usize,
    /// Time of the latest change, to the microsecond. Lists are sorted by it in descending order,
    /// then by `id` in descending order.
    updated_at: String,
    user_avatar_url: &'a str,
    user_id: &'a str,
    /// Version of this object; increases with every change, except of fields that depend on the
    /// caller, such as `is_seen`. Clients must not replace an object by one with a lower version.
    version: i64,
    /// Seconds that the customer has been waiting for an agent; null if they are not waiting.
    waiting_seconds: Option<i64>,
    /// Start of the customer's wait for an agent; null if they are not waiting.
    waiting_since: Option<String>,
    /// End of the 24-hour messaging window of WhatsApp, Messenger or Instagram, which starts with
    /// the customer's last message; may be in the past. Afterward, WhatsApp accepts only templates.
    /// Null for other channels, or if the customer never wrote.
    window_closes_at: Option<String>,
}

/// A tag on a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct RowTag<'a> {
    /// Color as `#rrggbb`, if the tag has one.
    colour: Option<&'a str>,
    id: i64,
    name: &'a str,
}

impl<'a> RoomView<'a> {
    fn is_seen(&self) -> bool {
        let last = |sender: UserKey| {
            let mut posted = self.posted.iter().filter(|posted| !self.is_survey_answer(posted));
            posted.find(|it| it.message.sender == sender).map(|it| it.message.number)
        };
        self.seen.is_seen(last(self.customer_room.customer), self.viewer.and_then(last))
    }

    /// Whether a message is a customer's answer to the survey after a conversation, which needs no
    /// reply: the customer sent it after the end, and it started no new conversation.
    fn is_survey_answer(&self, posted: &PostedMessage) -> bool {
        let room = self.customer_room;
        let ended = room.session.as_ref().filter(|it| it.resolved_at.is_some());
        let is_after = ended.is_some_and(|session| posted.message.id > session.last_message);
        is_after && posted.message.sender == room.customer
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
        let last = view.posted.first();
        let is_customer =
            |posted: &&std::sync::Arc<PostedMessage>| posted.message.sender == room.customer;
        let last_customer = view.posted.iter().find(is_customer);
        // Automatic messages do not count as a reply.
        let is_system = |posted: &std::sync::Arc<PostedMessage>| {
            matches!(posted.message.kind, MessageKind::SystemEvent) || posted.sender.is_system()
        };
        let spoken = view.posted.iter();
        let spoken = spoken.filter(|posted| !is_system(posted) && !view.is_survey_answer(posted));
        let sender_type = |posted: &std::sync::Arc<PostedMessage>| match is_system(posted) {
            true => "system",
            false if posted.message.sender == room.customer => "customer",
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
            last_comment_id: last.map(|posted| posted.message.id.to_string()),
            last_comment_sender: last.map(|posted| posted.sender.username.as_str()),
            last_comment_sender_type: last.map(sender_type),
            last_comment_text: last.map(|posted| posted.message.text.as_str()),
            last_comment_timestamp: last.map(|posted| to_the_second(posted.message.posted_at)),
            last_comment_type: last.map(|posted| posted.message.kind.as_str()),
            last_customer_comment_text: last_customer.map(|posted| posted.message.text.as_str()),
            last_customer_timestamp: last_customer
                .map(|posted| to_the_second(posted.message.posted_at)),
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

/// Response data with a list of customer rooms.
#[derive(Debug, Serialize, ToSchema)]
pub struct CustomerRoomList<'a> {
    customer_rooms: Vec<CustomerRoomShape<'a>>,
}

/// Returns response data with a list of customer rooms.
pub fn room_list<'a>(views: &[RoomView<'a>]) -> CustomerRoomList<'a> {
    CustomerRoomList { customer_rooms: views.iter().map(CustomerRoomShape::from).collect() }
}

/// Response data with one customer room.
#[derive(Debug, Serialize, ToSchema)]
pub struct CustomerRoomBox<'a> {
    customer_room: CustomerRoomShape<'a>,
}

/// Returns response data with one customer room.
pub fn one_room<'a>(view: &RoomView<'a>) -> CustomerRoomBox<'a> {
    CustomerRoomBox { customer_room: view.into() }
}
