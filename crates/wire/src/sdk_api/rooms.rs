//! Requests and responses of clients about rooms (wire facts 4.2).

use std::sync::Arc;

use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::opening::RoomInput;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef, RoomUniqueId};
use confab_domain::rooms::room_view::{Participant, Reach, RoomForClient};
use confab_domain::rooms::updating::RoomEdit;
use serde::Serialize;
use utoipa::ToSchema;

use super::comment::{ClientComment, SdkStatus, chat_type};
use crate::body::Body;
use crate::fields::{self, NonEmpty, Users, rooms_within_bound};
use crate::message_api::Page;
use crate::raw_json::options_of;
use crate::reading::FieldReader;
use crate::request::{FieldShape, GivenFields, Part, Request, request};
use crate::shown_extras::{ShownExtras, shown_extras};

request! {
    /// Body of `POST /get_or_create_room_with_target`.
    pub struct TargetFields as "ClientRoomWithTarget" {
        /// User id of the other participant, as a string or in a list.
        emails: Users<1, 2>, required, also = "emails[]", example = r#"["bob"]"#;
        /// Free text to store with the room, usually JSON; ignored if the room exists.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses the other participant of a single room, and its options.
pub fn read_target(body: &Body<'_>, caller: &User) -> Result<(UserId, String), Refusal> {
    body.read_then(|fields: TargetFields, reading| {
        let mut others = fields.emails.into_iter().filter(|user| *user != caller.user_id);
        match (others.next(), others.next()) {
            (Some(other), None) => Some((other, fields.options.unwrap_or_default())),
            _ => reading.wrong("emails", "must name one other user"),
        }
    })
}

request! {
    /// Body of `POST /get_or_create_room_with_unique_id`.
    pub struct NamedRoomFields as "ClientRoomWithUniqueId" {
        /// Unique id of the room; must not contain `#`, `+` or `/`.
        unique_id: fields::RoomUniqueId, required, example = "news";
        /// Display name; the unique id if absent.
        name: NonEmpty<fields::Name>, optional;
        /// URL of the room's picture.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// Free text to store with the room, usually JSON.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses a request to get or create a public room, which the caller joins.
pub fn read_named_room(
    body: &Body<'_>,
    caller: &User,
) -> Result<(RoomUniqueId, RoomInput), Refusal> {
    let NamedRoomFields { unique_id, name, avatar_url, options } = body.read()?;
    let name = name.unwrap_or_else(|| unique_id.as_str().to_owned());
    Ok((unique_id, wanted(name, avatar_url, options, vec![caller.itself()])))
}

request! {
    /// Body of `POST /create_room`.
    pub struct NewRoomFields as "ClientCreateRoom" {
        /// User ids of the participants other than the caller, at most 100 per call.
        participants: Users<0, { limits::CALL_USERS_MAX }>, or vec![], also = "participants[]";
        /// Display name of the room.
        name: NonEmpty<fields::Name>, optional, shown_as_required = true, example = "Support";
        /// URL of the room's picture.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// Free text to store with the room, usually JSON.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses a request to create a group room with the caller as a participant.
pub fn read_new_room(body: &Body<'_>, caller: &User) -> Result<RoomInput, Refusal> {
    let fields = body.read_then(|fields: NewRoomFields, reading| {
        let name = reading.needed("name", fields.name)?;
        Some((fields.participants, name, fields.avatar_url, fields.options))
    })?;
    let (mut people, name, avatar_url, options) = fields;
    if !people.contains(&caller.user_id) {
        people.push(caller.user_id.clone());
    }
    let people = people.into_iter().map(|user_id| caller.means(user_id)).collect();
    Ok(wanted(name, avatar_url, options, people))
}

fn wanted(
    name: String,
    avatar_url: Option<String>,
    options: Option<String>,
    participants: Vec<UserRef>,
) -> RoomInput {
    let (avatar_url, options) = (avatar_url.unwrap_or_default(), options.unwrap_or_default());
    RoomInput { unique_id: None, creator: None, name, avatar_url, options, participants }
}

request! {
    /// Body of `POST /update_room`.
    pub struct EditRoomFields as "ClientUpdateRoom" {
        /// Id of the room to update.
        id: fields::Room, required;
        /// New display name; unchanged if absent.
        room_name: NonEmpty<fields::Name>, optional;
        /// New URL of the room's picture; unchanged if absent.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// New free text to store with the room; unchanged if absent.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses a room and the changes to make to it.
pub fn read_edit_room(body: &Body<'_>) -> Result<(RoomRef, RoomEdit), Refusal> {
    let EditRoomFields { id, room_name: name, avatar_url, options } = body.read()?;
    Ok((id, RoomEdit { name, avatar_url, options }))
}

request! {
    /// Query of `GET /get_room_by_id`.
    pub struct RoomByIdFields {
        /// Id of the requested room.
        id: fields::Room, required;
    }
}

/// Parses a room id.
pub fn read_room_by_id(query: &Body<'_>) -> Result<RoomRef, Refusal> {
    query.read().map(|fields: RoomByIdFields| fields.id)
}

request! {
    /// Body of `POST /add_room_participants` and `/remove_room_participants`.
    pub struct ClientRoomAndUsersFields as "ClientRoomAndUsers" {
        /// Id of the room to which users are added, or from which they are removed.
        room_id: fields::Room, required;
        /// Ids of the users to add or remove, at most 100.
        emails: Users<1, { limits::CALL_USERS_MAX }>, required, also = "emails[]",
            example = r#"["bob"]"#;
    }
}

/// Parses a room and the users to add or remove.
pub fn read_room_and_users(body: &Body<'_>) -> Result<(RoomRef, Vec<UserId>), Refusal> {
    let ClientRoomAndUsersFields { room_id, emails } = body.read()?;
    Ok((room_id, emails))
}

/// A room that is identified by one of two fields.
struct EitherRoom(RoomRef);

impl Request for EitherRoom {
    const PARTS: &'static [Part] = &[
        Part::Field(FieldShape::of::<fields::Room>("room_unique_id", &["Unique id or room id."])),
        Part::Field(FieldShape::of::<fields::Room>("room_id", &["Room id or unique id."])),
    ];

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let is_unique = !fields.get("room_unique_id").is_absent();
        let field = if is_unique { "room_unique_id" } else { "room_id" };
        fields.needed::<fields::Room>(field, reading).map(Self)
    }
}

request! {
    /// Query of `GET /room_participants`.
    pub struct WhoIsInFields {
        room: EitherRoom, group;
        page: Page, group;
        /// Number of participants to skip, as an alternative to `page`.
        offset: fields::LenientInteger, optional;
        /// Order by time of registration: `asc` or `desc`.
        sorting: fields::Text, or String::new();
    }
}

/// A request for one page of a room's participants.
#[derive(Debug)]
pub struct WhoIsIn {
    pub room: RoomRef,
    pub page: Page,
    /// Number of participants to skip.
    pub skipped: u64,
    /// Whether the participants who registered last are returned first.
    pub is_from_last: bool,
}

impl WhoIsIn {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let WhoIsInFields { room: EitherRoom(room), page, offset, sorting } = query.read()?;
        // Invalid values mean the default, as for pages.
        let skipped = offset.and_then(|it| u64::try_from(it).ok()).filter(|it| *it > 0);
        let skipped = skipped.unwrap_or_else(|| page.skipped());
        let is_from_last = sorting.eq_ignore_ascii_case("desc");
        Ok(Self { room, page, skipped, is_from_last })
    }
}

request! {
    /// Query of `GET /user_rooms`.
    pub struct OwnRoomsFields {
        /// Page number, from 1. The first page has the rooms with the latest messages.
        page: fields::PageNumber, or 1;
        /// Rooms per page, default 20, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
        /// Whether to include the participants of each room; default true.
        show_participants: fields::Flag, or true;
        /// Whether to include rooms without messages; default true.
        show_empty: fields::Flag, or true;
        /// Kind of rooms to return: `single`, `group` or `channel`; any other value means all.
        room_type: fields::Text, optional;
    }
}

/// A request for one page of the caller's rooms.
#[derive(Debug)]
pub struct OwnRooms {
    pub page: Page,
    /// Kind of rooms to return; all kinds if absent.
    pub kind: Option<RoomKind>,
    /// Whether to include rooms without messages.
    pub shows_empty: bool,
    /// Whether to include the participants of each room.
    pub shows_participants: bool,
}

impl OwnRooms {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: OwnRoomsFields = query.read()?;
        let kind = fields.room_type.and_then(|kind| match kind.as_str() {
            "public_channel" => Some(RoomKind::Public),
            other => RoomKind::parse(other),
        });
        Ok(Self {
            page: Page { number: fields.page, size: fields.limit },
            kind,
            shows_empty: fields.show_empty,
            shows_participants: fields.show_participants,
        })
    }
}

/// A list of rooms, combined from two fields.
struct RoomLists(Vec<RoomRef>);

impl Request for RoomLists {
    const PARTS: &'static [Part] = &[
        Part::Field(
            FieldShape::of::<fields::Rooms<0>>("room_id", &["Rooms, by id."]).also("room_id[]"),
        ),
        Part::Field(
            FieldShape::of::<fields::Rooms<0>>("room_unique_id", &["Rooms, by unique id."])
                .also("room_unique_id[]"),
        ),
    ];

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let mut rooms: Vec<RoomRef> = Vec::new();
        for field in ["room_id", "room_unique_id"] {
            for text in reading.keys(field, fields.get(field)).unwrap_or_default() {
                let room = reading.check(RoomRef::parse(field, &text));
                rooms.extend(room.filter(|room| !rooms.contains(room)));
            }
        }
        Some(Self(rooms_within_bound(reading, "room_id", rooms).unwrap_or_default()))
    }
}

request! {
    /// Body of `POST /rooms_info`.
    pub struct RoomsInfoFields as "ClientRoomsInfo" {
        rooms: RoomLists, group;
        /// Whether to include the participants of each room; default true.
        show_participants: fields::Flag, or true;
    }
}

/// Parses a list of rooms, and whether to include their participants.
pub fn read_rooms_info(body: &Body<'_>) -> Result<(Vec<RoomRef>, bool), Refusal> {
    body.read_then(|fields: RoomsInfoFields, reading| {
        let rooms = Some(fields.rooms.0).filter(|rooms| !rooms.is_empty());
        Some((reading.needed("room_id", rooms)?, fields.show_participants))
    })
}

/// A participant of a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientParticipant<'a> {
    active: bool,
    avatar_url: &'a str,
    /// User id of the participant.
    email: &'a str,
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    id: i64,
    id_str: String,
    last_comment_read_id: i64,
    last_comment_read_id_str: String,
    last_comment_received_id: i64,
    last_comment_received_id_str: String,
    username: &'a str,
}

impl<'a> From<&'a Participant> for ClientParticipant<'a> {
    fn from(it: &'a Participant) -> Self {
        let user = &it.user;
        Self {
            active: user.is_active,
            avatar_url: &user.avatar_url,
            email: user.user_id.as_str(),
            extras: shown_extras(user),
            id: user.key.0,
            id_str: user.key.to_string(),
            last_comment_read_id: it.read.id,
            last_comment_read_id_str: it.read.id.to_string(),
            last_comment_received_id: it.received.id,
            last_comment_received_id_str: it.received.id.to_string(),
            username: &user.username,
        }
    }
}

/// A room, as seen by a client.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientRoom<'a> {
    avatar_url: &'a str,
    /// Kind of the room: `single` or `group`.
    chat_type: &'static str,
    id: i64,
    id_str: String,
    is_public_channel: bool,
    is_removed: bool,
    last_comment: LastComment<'a>,
    last_comment_id: i64,
    last_comment_id_str: String,
    last_comment_message: &'a str,
    /// Same value as `id`.
    last_topic_id: i64,
    last_topic_id_str: String,
    /// Free text that the app stores with the room, usually JSON.
    options: &'a str,
    participants: Vec<ClientParticipant<'a>>,
    raw_room_name: &'a str,
    /// Display name; a single room has the name of the other participant.
    room_name: &'a str,
    room_total_participants: u64,
    unique_id: &'a str,
    unread_count: u64,
}

/// The newest comment of a room.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum LastComment<'a> {
    /// The newest comment.
    Comment(Box<ClientComment<'a>>),
    /// A placeholder for a room without comments, with id 0 and type `unknown`.
    Unknown(Box<UnknownComment>),
}

/// A placeholder for the newest comment of a room without comments.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownComment {
    comment_before_id: i64,
    comment_before_id_str: &'static str,
    email: &'static str,
    extras: EmptyObject,
    id: i64,
    id_str: &'static str,
    is_deleted: bool,
    message: &'static str,
    payload: EmptyObject,
    room_id: i64,
    room_id_str: String,
    status: &'static str,
    timestamp: &'static str,
    /// Always `unknown`, which distinguishes it from a comment.
    #[schema(pattern = "^unknown$")]
    r#type: &'static str,
    unique_temp_id: &'static str,
    unix_nano_timestamp: i64,
    unix_timestamp: i64,
    user_avatar_url: &'static str,
    user_id: i64,
    user_id_str: &'static str,
    username: &'static str,
}

/// An empty object: `{}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmptyObject {}

pub(super) fn unknown_comment(room: &Room) -> UnknownComment {
    UnknownComment {
        comment_before_id: 0,
        comment_before_id_str: "0",
        email: "",
        extras: EmptyObject {},
        id: 0,
        id_str: "0",
        is_deleted: false,
        message: "",
        payload: EmptyObject {},
        room_id: room.id.0,
        room_id_str: room.id.to_string(),
        status: "sent",
        // Some clients fail on a time that they cannot parse.
        timestamp: "1970-01-01T00:00:00Z",
        r#type: "unknown",
        unique_temp_id: "",
        unix_nano_timestamp: 0,
        unix_timestamp: 0,
        user_avatar_url: "",
        user_id: 0,
        user_id_str: "0",
        username: "",
    }
}

fn status(seen: &RoomForClient, posted: &PostedMessage) -> SdkStatus {
    match seen.reach(&posted.message) {
        Reach::Sent => SdkStatus::Sent,
        Reach::Delivered => SdkStatus::Delivered,
        Reach::Read => SdkStatus::Read,
    }
}

/// Returns the name of a room for a viewer: a single room has the name of the other participant.
pub(crate) fn name_for(seen: &RoomForClient, viewer: UserKey) -> &str {
    other_of_pair(seen, viewer).map_or(&seen.room.name, |other| &other.username)
}

/// Returns the picture of a room for a viewer: a single room without a picture has the picture of
/// the other participant.
pub(crate) fn avatar_for(seen: &RoomForClient, viewer: UserKey) -> &str {
    let own = Some(seen.room.avatar_url.as_str()).filter(|url| !url.is_empty());
    let others = || other_of_pair(seen, viewer).map(|other| other.avatar_url.as_str());
    own.or_else(others).unwrap_or_default()
}

fn other_of_pair(seen: &RoomForClient, viewer: UserKey) -> Option<&User> {
    seen.other_than(viewer).filter(|_| seen.room.kind == RoomKind::Single)
}

/// Returns a room as seen by one of its participants.
pub fn client_room(
    seen: &RoomForClient,
    viewer: UserKey,
    shows_participants: bool,
) -> ClientRoom<'_> {
    let room = &seen.room;
    let last = seen.last_id();
    let last_comment = match &seen.last {
        Some(posted) => {
            let comment = ClientComment::answered(posted, room, status(seen, posted));
            LastComment::Comment(Box::new(comment))
        }
        None => LastComment::Unknown(Box::new(unknown_comment(room))),
    };
    let shown = seen.participants.iter().filter(|_| shows_participants);
    ClientRoom {
        avatar_url: avatar_for(seen, viewer),
        chat_type: chat_type(room.kind),
        id: room.id.0,
        id_str: room.id.to_string(),
        is_public_channel: room.kind == RoomKind::Public,
        is_removed: false,
        last_comment,
        last_comment_id: last.0,
        last_comment_id_str: last.to_string(),
        last_comment_message: seen.last.as_ref().map_or("", |posted| &posted.message.text),
        last_topic_id: room.id.0,
        last_topic_id_str: room.id.to_string(),
        options: options_of(&room.options),
        participants: shown.map(ClientParticipant::from).collect(),
        raw_room_name: &room.name,
        room_name: name_for(seen, viewer),
        room_total_participants: seen.participants_total,
        unique_id: room.unique_id.as_str(),
        unread_count: seen.unread,
    }
}

/// A room with its newest comments.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenedRoom<'a> {
    /// Whether the call changed anything.
    changed: bool,
    /// Comments, newest first.
    comments: Vec<ClientComment<'a>>,
    is_participant: bool,
    room: ClientRoom<'a>,
}

/// Returns a response with one room and its newest comments.
pub fn opened_room<'a>(
    seen: &'a RoomForClient,
    comments: &'a [Arc<PostedMessage>],
    viewer: UserKey,
    changed: bool,
) -> OpenedRoom<'a> {
    let shown = comments.iter().filter(|posted| posted.message.number > seen.cleared_number);
    let comment = |posted: &'a Arc<PostedMessage>| {
        ClientComment::answered(posted, &seen.room, status(seen, posted))
    };
    OpenedRoom {
        changed,
        comments: shown.map(comment).collect(),
        is_participant: seen.is_in,
        room: client_room(seen, viewer, true),
    }
}

/// Number of the page, and total number of the caller's rooms.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomPageMeta {
    current_page: u64,
    total_room: u64,
}

/// The `results` object of `user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomPage<'a> {
    meta: RoomPageMeta,
    rooms_info: Vec<ClientRoom<'a>>,
}

/// Returns the response to `user_rooms` without the rooms, which the caller inserts. `total` is the
/// number of all rooms of the user.
pub fn room_page(asked: &OwnRooms, total: u64) -> RoomPage<'static> {
    let meta = RoomPageMeta { current_page: asked.page.number, total_room: total };
    RoomPage { meta, rooms_info: Vec::new() }
}

/// Number of requested rooms, and number of rooms found.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomsInfoMeta {
    request_rooms_total: usize,
    response_rooms_total: usize,
}

/// The `results` object of `rooms_info`.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomsInfo<'a> {
    meta: RoomsInfoMeta,
    rooms_info: Vec<ClientRoom<'a>>,
}

/// Returns the response to `rooms_info` without the rooms, which the caller inserts.
pub fn rooms_info(asked: usize, found: usize) -> RoomsInfo<'static> {
    let meta = RoomsInfoMeta { request_rooms_total: asked, response_rooms_total: found };
    RoomsInfo { meta, rooms_info: Vec::new() }
}

/// Position and size of a page of a room's participants, and their total number.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhoIsInMeta {
    current_offset: u64,
    current_page: u64,
    per_page: usize,
    total: u64,
}

/// The `results` object of `room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientParticipants<'a> {
    meta: WhoIsInMeta,
    participants: Vec<ClientParticipant<'a>>,
}

/// Returns one page of a room's `total` participants.
pub fn participant_page<'a>(
    people: &'a [Participant],
    asked: &WhoIsIn,
    total: u64,
) -> ClientParticipants<'a> {
    let meta = WhoIsInMeta {
        current_offset: asked.skipped,
        current_page: asked.page.number,
        per_page: asked.page.size,
        total,
    };
    ClientParticipants { meta, participants: people.iter().map(ClientParticipant::from).collect() }
}

/// The `results` object of `add_room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleAdded<'a> {
    participants_added: Vec<ClientParticipant<'a>>,
}

/// Returns the participants that the call added.
pub fn people_added(people: &[Participant]) -> PeopleAdded<'_> {
    PeopleAdded { participants_added: people.iter().map(ClientParticipant::from).collect() }
}

/// The `results` object of `remove_room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleRemoved {
    /// User ids of the participants that the call removed.
    pub participants_removed: Vec<String>,
}
