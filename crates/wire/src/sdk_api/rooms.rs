//! Rooms as clients see them (wire facts 4.2).

use std::sync::Arc;

use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::messages::message::Said;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::opening::{RoomEdit, WantedRoom};
use confab_domain::rooms::room::{Room, RoomKind, RoomRef, RoomUniqueId};
use confab_domain::rooms::room_view::{Participant, Reach, SeenRoom};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::comment::{ClientComment, Status, chat_type};
use crate::body::Body;
use crate::message_api::users::read_picture;
use crate::message_api::{Page, read_page, read_some_user_ids, read_user_ids};
use crate::raw_json::{empty, raw};
use crate::reading::{Given, Reading};

/// `POST /get_or_create_room_with_target`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientRoomWithTarget)]
pub struct TargetFields<'a> {
    /// The other one, as a text or in a list.
    #[schema(value_type = Vec<String>, required = true)]
    #[serde(borrow, default, alias = "emails[]")]
    emails: Given<'a>,
    /// Free text, usually JSON; taken when the room is opened.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    options: Given<'a>,
}

/// Reads the other one of a single room, and its options.
pub fn read_target(body: &Body<'_>, caller: &User) -> Result<(UserId, String), Refusal> {
    let fields: TargetFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let users = read_some_user_ids(&mut reading, "emails", fields.emails, 2);
    let options = read_options(&mut reading, fields.options);
    let others: Option<Vec<UserId>> =
        users.map(|users| users.into_iter().filter(|user| *user != caller.user_id).collect());
    let other = match others.as_deref() {
        Some([other]) => Some(other.clone()),
        Some(_) => reading.wrong("emails", "must name one other user"),
        None => None,
    };
    let Some(other) = other else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((other, options.unwrap_or_default()))
}

/// `POST /get_or_create_room_with_unique_id`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientRoomWithUniqueId)]
pub struct NamedRoomFields<'a> {
    /// Names the room; without `#`, `+` and `/`.
    #[schema(value_type = String, required = true, example = "news", max_length = 255)]
    #[serde(borrow, default)]
    unique_id: Given<'a>,
    /// The name for people; the unique id where absent.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    name: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// Free text, usually JSON.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    options: Given<'a>,
}

/// Reads which room to find or open; the caller comes in.
pub fn read_named_room(
    body: &Body<'_>,
    caller: &User,
) -> Result<(RoomUniqueId, WantedRoom), Refusal> {
    let fields: NamedRoomFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let text = reading.filled_text("unique_id", fields.unique_id);
    let text = reading.needed("unique_id", text);
    let unique_id = text.and_then(|text| reading.check(RoomUniqueId::parse("unique_id", &text)));
    let edit = read_edit(&mut reading, ("name", fields.name), fields.avatar_url, fields.options);
    let Some(unique_id) = unique_id else { return Err(reading.refusal()) };
    reading.finish()?;
    let name = edit.name.unwrap_or_else(|| unique_id.as_str().to_owned());
    Ok((unique_id, wanted(name, edit.avatar_url, edit.options, vec![caller.itself()])))
}

/// `POST /create_room`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientCreateRoom)]
pub struct NewRoomFields<'a> {
    /// The name for people.
    #[schema(value_type = String, required = true, example = "Support", max_length = 255)]
    #[serde(borrow, default)]
    name: Given<'a>,
    /// Who is in it beside the caller, at most 100 a call.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    #[serde(default, alias = "participants[]")]
    participants: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// Free text, usually JSON.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    options: Given<'a>,
}

/// Reads which group room to open; the caller is in it.
pub fn read_new_room(body: &Body<'_>, caller: &User) -> Result<WantedRoom, Refusal> {
    let fields: NewRoomFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let users_max = limits::CALL_USERS_MAX;
    let people = read_user_ids(&mut reading, "participants", fields.participants, users_max);
    let edit = read_edit(&mut reading, ("name", fields.name), fields.avatar_url, fields.options);
    let name = reading.needed("name", edit.name);
    let Some(name) = name else { return Err(reading.refusal()) };
    reading.finish()?;
    let mut people = people.unwrap_or_default();
    if !people.contains(&caller.user_id) {
        people.push(caller.user_id.clone());
    }
    let people = people.into_iter().map(|user_id| caller.means(user_id)).collect();
    Ok(wanted(name, edit.avatar_url, edit.options, people))
}

fn wanted(
    name: String,
    avatar_url: Option<String>,
    options: Option<String>,
    participants: Vec<UserRef>,
) -> WantedRoom {
    let (avatar_url, options) = (avatar_url.unwrap_or_default(), options.unwrap_or_default());
    WantedRoom { unique_id: None, creator: None, name, avatar_url, options, participants }
}

/// `POST /update_room`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientUpdateRoom)]
pub struct EditRoomFields<'a> {
    /// The room's id.
    #[schema(value_type = String, required = true)]
    #[serde(borrow, default)]
    id: Given<'a>,
    /// A new name.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    room_name: Given<'a>,
    /// A new picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// New free text.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    options: Given<'a>,
}

/// Reads which room changes how.
pub fn read_edit_room(body: &Body<'_>) -> Result<(RoomRef, RoomEdit), Refusal> {
    let fields: EditRoomFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_room(&mut reading, "id", fields.id);
    let edit =
        read_edit(&mut reading, ("room_name", fields.room_name), fields.avatar_url, fields.options);
    let Some(room) = room else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((room, edit))
}

/// Forms send an empty text for what is not given.
fn read_edit(
    reading: &mut Reading,
    (field, name): (&str, Given<'_>),
    avatar_url: Given<'_>,
    options: Given<'_>,
) -> RoomEdit {
    let name = reading.name(field, name, limits::NAME_CHARS_MAX);
    let avatar_url = read_picture(reading, "avatar_url", avatar_url);
    let filled = |text: &String| !text.is_empty();
    let options = read_options(reading, options);
    RoomEdit { name: name.filter(filled), avatar_url: avatar_url.filter(filled), options }
}

/// Options are text; a JSON object is taken as its text.
fn read_options(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let options = if given.is_object() {
        reading.json_object("options", given).map(|json| json.as_str().to_owned())
    } else {
        reading.filled_text("options", given)
    }?;
    if options.len() > limits::OPTIONS_BYTES_MAX {
        return reading.wrong("options", "must have at most 65536 bytes");
    }
    Some(options)
}

fn read_room(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<RoomRef> {
    let text = reading.key(field, given);
    let text = reading.needed(field, text)?;
    reading.check(RoomRef::parse(field, &text))
}

/// `GET /get_room_by_id`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RoomByIdFields<'a> {
    /// The room's id.
    #[param(value_type = String, required = true)]
    #[serde(borrow, default)]
    id: Given<'a>,
}

/// Reads which room.
pub fn read_room_by_id(query: &Body<'_>) -> Result<RoomRef, Refusal> {
    let fields: RoomByIdFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    read_room(&mut reading, "id", fields.id).ok_or_else(|| reading.refusal())
}

/// `POST /add_room_participants` and `/remove_room_participants`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientRoomAndUsers)]
pub struct RoomAndUsersFields<'a> {
    /// The room's id.
    #[schema(value_type = String, required = true)]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// At most 100.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[serde(default, alias = "emails[]")]
    emails: Given<'a>,
}

/// Reads a room and users.
pub fn read_room_and_users(body: &Body<'_>) -> Result<(RoomRef, Vec<UserId>), Refusal> {
    let fields: RoomAndUsersFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_room(&mut reading, "room_id", fields.room_id);
    let users = read_some_user_ids(&mut reading, "emails", fields.emails, limits::CALL_USERS_MAX);
    room.zip(users).ok_or_else(|| reading.refusal())
}

/// `GET /room_participants`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhoIsInFields<'a> {
    /// The room's unique id, or its id.
    #[param(value_type = Option<String>)]
    #[serde(borrow, default)]
    room_unique_id: Given<'a>,
    /// The room's id, or its unique id.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    room_id: Given<'a>,
    /// From 1.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
    /// How many to leave out, instead of `page`.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    offset: Given<'a>,
    /// `asc` or `desc`, by when they were registered.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    sorting: Given<'a>,
}

/// A page of a room's participants.
#[derive(Debug)]
pub struct WhoIsIn {
    /// The room.
    pub room: RoomRef,
    /// Which page.
    pub page: Page,
    /// How many to leave out first.
    pub skipped: u64,
    /// Those registered last come first.
    pub is_from_last: bool,
}

impl WhoIsIn {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: WhoIsInFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let (field, given) = match fields.room_unique_id.is_absent() {
            true => ("room_id", fields.room_id),
            false => ("room_unique_id", fields.room_unique_id),
        };
        let room = read_room(&mut reading, field, given);
        let page = read_page(fields.page, fields.limit, limits::PAGE_DEFAULT);
        let sorting = reading.text("sorting", fields.sorting).unwrap_or_default();
        // As generous as with pages (D-0003).
        let offset = Reading::default().integer("offset", fields.offset);
        let skipped = offset.and_then(|it| u64::try_from(it).ok()).filter(|it| *it > 0);
        let Some(room) = room else { return Err(reading.refusal()) };
        reading.finish()?;
        let skipped = skipped.unwrap_or_else(|| page.skipped());
        let is_from_last = sorting.eq_ignore_ascii_case("desc");
        Ok(Self { room, page, skipped, is_from_last })
    }
}

/// `GET /user_rooms`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserRoomsFields<'a> {
    /// From 1, the rooms last spoken in first.
    #[param(value_type = Option<i64>)]
    #[serde(borrow, default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
    /// Also who is in them.
    #[param(value_type = Option<bool>)]
    #[serde(default)]
    show_participants: Given<'a>,
    /// Also rooms in which nothing was said; yes where absent.
    #[param(value_type = Option<bool>)]
    #[serde(default)]
    show_empty: Given<'a>,
    /// `single`, `group` or `channel`; anything else is all.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    room_type: Given<'a>,
}

/// A page of the caller's rooms.
#[derive(Debug)]
pub struct UserRooms {
    /// Which page.
    pub page: Page,
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
    /// Also rooms in which nothing was said.
    pub shows_empty: bool,
    /// Also who is in them.
    pub shows_participants: bool,
}

impl UserRooms {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UserRoomsFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let shown = reading.boolean("show_participants", fields.show_participants);
        let shows_empty = reading.boolean("show_empty", fields.show_empty);
        let kind = reading.text("room_type", fields.room_type);
        reading.finish()?;
        let kind = kind.and_then(|kind| match kind.as_str() {
            "public_channel" => Some(RoomKind::Channel),
            other => RoomKind::parse(other),
        });
        Ok(Self {
            page: read_page(fields.page, fields.limit, limits::PAGE_DEFAULT),
            kind,
            shows_empty: shows_empty.unwrap_or(true),
            shows_participants: shown.unwrap_or(true),
        })
    }
}

/// `POST /rooms_info`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientRoomsInfo)]
pub struct RoomsInfoFields<'a> {
    /// Rooms by id.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    #[serde(borrow, default, alias = "room_id[]")]
    room_id: Given<'a>,
    /// Rooms by unique id.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    #[serde(default, alias = "room_unique_id[]")]
    room_unique_id: Given<'a>,
    /// Also who is in them.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    show_participants: Given<'a>,
}

/// Reads which rooms are meant, and whether their participants are wanted.
pub fn read_rooms_info(body: &Body<'_>) -> Result<(Vec<RoomRef>, bool), Refusal> {
    let fields: RoomsInfoFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let mut rooms: Vec<RoomRef> = Vec::new();
    let lists = [("room_id", fields.room_id), ("room_unique_id", fields.room_unique_id)];
    for (field, given) in lists {
        for text in reading.keys(field, given).unwrap_or_default() {
            let room = reading.check(RoomRef::parse(field, &text));
            rooms.extend(room.filter(|room| !rooms.contains(room)));
        }
    }
    if rooms.len() > limits::CALL_ROOMS_MAX {
        reading.wrong::<()>("room_id", "must name at most 100 rooms");
    }
    let shown = reading.boolean("show_participants", fields.show_participants);
    let rooms = reading.needed("room_id", Some(rooms).filter(|rooms| !rooms.is_empty()));
    let Some(rooms) = rooms else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((rooms, shown.unwrap_or(true)))
}

/// Somebody in a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientParticipant<'a> {
    active: bool,
    avatar_url: &'a str,
    /// The user id.
    email: &'a str,
    #[schema(value_type = Object)]
    extras: &'a RawValue,
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
            extras: user.extras.as_ref().map_or(empty(), raw),
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

/// A room as a client sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientRoom<'a> {
    avatar_url: &'a str,
    /// `single` or `group`.
    chat_type: &'static str,
    id: i64,
    id_str: String,
    is_public_channel: bool,
    is_removed: bool,
    last_comment: LastComment<'a>,
    last_comment_id: i64,
    last_comment_id_str: String,
    last_comment_message: &'a str,
    /// The same as `id`.
    last_topic_id: i64,
    last_topic_id_str: String,
    /// Free text, usually JSON.
    options: &'a str,
    participants: Vec<ClientParticipant<'a>>,
    raw_room_name: &'a str,
    /// A single room is named after the other one.
    room_name: &'a str,
    room_total_participants: u64,
    unique_id: &'a str,
    unread_count: u64,
}

/// The newest comment of a room.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum LastComment<'a> {
    /// There is one.
    Said(Box<ClientComment<'a>>),
    /// Nothing was said: id 0 and type `unknown`.
    Unknown(Box<UnknownComment>),
}

/// What stands in place of the comment of a room without any.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownComment {
    comment_before_id: i64,
    comment_before_id_str: &'static str,
    email: &'static str,
    extras: Nothing,
    id: i64,
    id_str: &'static str,
    is_deleted: bool,
    message: &'static str,
    payload: Nothing,
    room_id: i64,
    room_id_str: String,
    status: &'static str,
    timestamp: &'static str,
    /// What tells it from a comment.
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

/// `{}`
#[derive(Debug, Serialize, ToSchema)]
pub struct Nothing {}

fn unknown_comment(room: &Room) -> UnknownComment {
    UnknownComment {
        comment_before_id: 0,
        comment_before_id_str: "0",
        email: "",
        extras: Nothing {},
        id: 0,
        id_str: "0",
        is_deleted: false,
        message: "",
        payload: Nothing {},
        room_id: room.id.0,
        room_id_str: room.id.to_string(),
        status: "sent",
        // A time that clients can read.
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

fn status(seen: &SeenRoom, said: &Said) -> Status {
    match seen.reach(&said.message) {
        Reach::Sent => Status::Sent,
        Reach::Delivered => Status::Delivered,
        Reach::Read => Status::Read,
    }
}

/// A room for one of its clients.
pub fn client_room(seen: &SeenRoom, viewer: UserKey, shows_participants: bool) -> ClientRoom<'_> {
    let room = &seen.room;
    let other = seen.other_than(viewer).filter(|_| room.kind == RoomKind::Single);
    let own_avatar = Some(room.avatar_url.as_str()).filter(|url| !url.is_empty());
    let last = seen.last_id();
    let last_comment = match &seen.last {
        Some(said) => {
            let comment = ClientComment::answered(said, room, status(seen, said));
            LastComment::Said(Box::new(comment))
        }
        None => LastComment::Unknown(Box::new(unknown_comment(room))),
    };
    let shown = seen.participants.iter().filter(|_| shows_participants);
    ClientRoom {
        avatar_url: own_avatar.or(other.map(|it| it.avatar_url.as_str())).unwrap_or_default(),
        chat_type: chat_type(room.kind),
        id: room.id.0,
        id_str: room.id.to_string(),
        is_public_channel: room.kind == RoomKind::Channel,
        is_removed: false,
        last_comment,
        last_comment_id: last.0,
        last_comment_id_str: last.to_string(),
        last_comment_message: seen.last.as_ref().map_or("", |said| &said.message.text),
        last_topic_id: room.id.0,
        last_topic_id_str: room.id.to_string(),
        options: if room.options.is_empty() { "{}" } else { &room.options },
        participants: shown.map(ClientParticipant::from).collect(),
        raw_room_name: &room.name,
        room_name: other.map_or(&room.name, |it| &it.username),
        room_total_participants: seen.participants_total,
        unique_id: room.unique_id.as_str(),
        unread_count: seen.unread,
    }
}

/// A room with its newest comments.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenedRoom<'a> {
    /// Whether anything changed.
    changed: bool,
    /// Newest first.
    comments: Vec<ClientComment<'a>>,
    is_participant: bool,
    room: ClientRoom<'a>,
}

/// The answer about one room.
pub fn opened_room<'a>(
    seen: &'a SeenRoom,
    comments: &'a [Arc<Said>],
    viewer: UserKey,
    changed: bool,
) -> OpenedRoom<'a> {
    let shown = comments.iter().filter(|said| said.message.number > seen.cleared_number);
    let comment =
        |said: &'a Arc<Said>| ClientComment::answered(said, &seen.room, status(seen, said));
    OpenedRoom {
        changed,
        comments: shown.map(comment).collect(),
        is_participant: seen.is_in,
        room: client_room(seen, viewer, true),
    }
}

/// How many rooms there are.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomPageMeta {
    current_page: u64,
    total_room: u64,
}

/// The answer of `user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomPage<'a> {
    meta: RoomPageMeta,
    rooms_info: Vec<ClientRoom<'a>>,
}

/// What `user_rooms` answers beside the caller's rooms, of which there are so many.
pub fn room_page(asked: &UserRooms, total: u64) -> RoomPage<'static> {
    let meta = RoomPageMeta { current_page: asked.page.number, total_room: total };
    RoomPage { meta, rooms_info: Vec::new() }
}

/// How many rooms were asked for, and how many were found.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomsInfoMeta {
    request_rooms_total: usize,
    response_rooms_total: usize,
}

/// The answer of `rooms_info`.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomsInfo<'a> {
    meta: RoomsInfoMeta,
    rooms_info: Vec<ClientRoom<'a>>,
}

/// What `rooms_info` answers beside the rooms: how many were asked for and found.
pub fn rooms_info(asked: usize, found: usize) -> RoomsInfo<'static> {
    let meta = RoomsInfoMeta { request_rooms_total: asked, response_rooms_total: found };
    RoomsInfo { meta, rooms_info: Vec::new() }
}

/// Which participants these are.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhoIsInMeta {
    current_offset: u64,
    current_page: u64,
    per_page: usize,
    total: u64,
}

/// The answer of `room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientParticipants<'a> {
    meta: WhoIsInMeta,
    participants: Vec<ClientParticipant<'a>>,
}

/// A page of a room's participants, of so many.
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

/// The answer of `add_room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleAdded<'a> {
    participants_added: Vec<ClientParticipant<'a>>,
}

/// Who came in.
pub fn people_added(people: &[Participant]) -> PeopleAdded<'_> {
    PeopleAdded { participants_added: people.iter().map(ClientParticipant::from).collect() }
}

/// The answer of `remove_room_participants`: user ids.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleRemoved {
    /// Who left.
    pub participants_removed: Vec<String>,
}
