//! What callers send about rooms and their participants (wire facts 3.2, D-0018).

use confab_domain::limits;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::opening::{RoomEdit, WantedRoom};
use confab_domain::rooms::room::{Pair, RoomKind, RoomRef, RoomUniqueId};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::body::Body;
use crate::message_api::comments::read_room;
use crate::message_api::users::read_picture;
use crate::message_api::{Page, read_page, read_some_user_ids, read_user_id, read_user_ids};
use crate::reading::{Given, Reading};

/// `POST /create_room`
#[derive(Deserialize, ToSchema)]
#[schema(as = CreateRoom)]
pub struct CreateRoomFields<'a> {
    /// The name for people.
    #[schema(value_type = String, required = true, example = "Support", max_length = 255)]
    #[serde(borrow, default)]
    room_name: Given<'a>,
    /// Who is in it, at most 100 a call.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[serde(default, alias = "participants[]")]
    participants: Given<'a>,
    /// Must exist; is not added as participant by itself.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    creator: Given<'a>,
    /// Names the room from now on; made by the server where absent.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    unique_id: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    room_avatar_url: Given<'a>,
    /// Free text, usually JSON.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    room_options: Given<'a>,
}

/// Reads which group room to open.
pub fn read_create_room(body: &Body<'_>) -> Result<WantedRoom, Refusal> {
    let fields: CreateRoomFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let name = reading.name("room_name", fields.room_name, limits::NAME_CHARS_MAX);
    let name = reading.needed("room_name", name.filter(|name| !name.is_empty()));
    let participants = read_some_user_ids(
        &mut reading,
        "participants",
        fields.participants,
        limits::CALL_USERS_MAX,
    );
    let creator = (!fields.creator.is_absent())
        .then(|| read_user_id(&mut reading, "creator", fields.creator));
    let unique_id = read_unique_id(&mut reading, fields.unique_id);
    let edit = read_edit(&mut reading, None, fields.room_avatar_url, fields.room_options);
    let (Some(name), Some(participants)) = (name, participants) else {
        return Err(reading.refusal());
    };
    reading.finish()?;
    let avatar_url = edit.avatar_url.unwrap_or_default();
    let options = edit.options.unwrap_or_default();
    let creator = creator.flatten();
    let participants = participants.into_iter().map(UserRef::from).collect();
    Ok(WantedRoom { unique_id, creator, name, avatar_url, options, participants })
}

/// `POST /get_or_create_channel`
#[derive(Deserialize, ToSchema)]
#[schema(as = GetOrCreateChannel)]
pub struct ChannelFields<'a> {
    /// Names the channel; without `#`, `+` and `/`.
    #[schema(value_type = String, required = true, example = "news", max_length = 255)]
    #[serde(borrow, default)]
    unique_id: Given<'a>,
    /// Added where missing, at most 100 a call.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    #[serde(default, alias = "participants[]")]
    participants: Given<'a>,
    /// The name for people; the unique id where absent.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    room_name: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    room_avatar_url: Given<'a>,
    /// Free text, usually JSON.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    room_options: Given<'a>,
}

/// Reads which channel to open; it always has a unique id.
pub fn read_channel(body: &Body<'_>) -> Result<(RoomUniqueId, WantedRoom), Refusal> {
    let fields: ChannelFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let unique_id = read_unique_id(&mut reading, fields.unique_id);
    let unique_id = reading.needed("unique_id", unique_id);
    let participants =
        read_user_ids(&mut reading, "participants", fields.participants, limits::CALL_USERS_MAX);
    let edit = read_edit(
        &mut reading,
        Some(fields.room_name),
        fields.room_avatar_url,
        fields.room_options,
    );
    let Some(unique_id) = unique_id else { return Err(reading.refusal()) };
    reading.finish()?;
    let name = edit.name.filter(|name| !name.is_empty());
    let room = WantedRoom {
        unique_id: None,
        creator: None,
        name: name.unwrap_or_else(|| unique_id.as_str().to_owned()),
        avatar_url: edit.avatar_url.unwrap_or_default(),
        options: edit.options.unwrap_or_default(),
        participants: participants.into_iter().flatten().map(UserRef::from).collect(),
    };
    Ok((unique_id, room))
}

/// `POST /get_or_create_room_with_target`
#[derive(Deserialize, ToSchema)]
#[schema(as = GetOrCreateRoomWithTarget)]
pub struct PairFields<'a> {
    /// Two users.
    #[schema(value_type = Vec<String>, required = true, min_items = 2, max_items = 2)]
    #[serde(borrow, default, alias = "user_ids[]")]
    user_ids: Given<'a>,
    /// Free text, usually JSON; taken when the room is opened.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    room_options: Given<'a>,
}

/// Reads two users and the options of their room.
pub fn read_pair(body: &Body<'_>) -> Result<(Pair, String), Refusal> {
    let fields: PairFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let users = read_some_user_ids(&mut reading, "user_ids", fields.user_ids, 2);
    let options = read_edit(&mut reading, None, Given::default(), fields.room_options).options;
    let pair = match users.as_deref() {
        Some([first, second]) => reading.check(Pair::new(first.clone(), second.clone())),
        Some(_) => reading.wrong("user_ids", "must name two different users"),
        None => None,
    };
    let Some(pair) = pair else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((pair, options.unwrap_or_default()))
}

/// `POST /update_room`
#[derive(Deserialize, ToSchema)]
#[schema(as = UpdateRoom)]
pub struct UpdateRoomFields<'a> {
    /// Room id, or a room unique id.
    #[schema(value_type = String, required = true, example = "support")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// A new name.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    room_name: Given<'a>,
    /// A new picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    room_avatar_url: Given<'a>,
    /// New free text.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    room_options: Given<'a>,
}

/// Reads which room changes how.
pub fn read_update(body: &Body<'_>) -> Result<(RoomRef, RoomEdit), Refusal> {
    let fields: UpdateRoomFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_room(&mut reading, fields.room_id);
    let name = Some(fields.room_name);
    let mut edit = read_edit(&mut reading, name, fields.room_avatar_url, fields.room_options);
    edit.name = edit.name.filter(|name| !name.is_empty());
    let Some(room) = room else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((room, edit))
}

fn read_edit(
    reading: &mut Reading,
    name: Option<Given<'_>>,
    avatar_url: Given<'_>,
    options: Given<'_>,
) -> RoomEdit {
    RoomEdit {
        name: name.and_then(|name| reading.name("room_name", name, limits::NAME_CHARS_MAX)),
        avatar_url: read_picture(reading, "room_avatar_url", avatar_url),
        options: read_options(reading, options),
    }
}

/// Options are text; a JSON object is taken as its text.
fn read_options(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let options = if given.is_object() {
        reading.json_object("room_options", given).map(|json| json.as_str().to_owned())
    } else {
        reading.text("room_options", given)
    }?;
    if options.len() > limits::OPTIONS_BYTES_MAX {
        return reading.wrong("room_options", "must have at most 65536 bytes");
    }
    Some(options)
}

fn read_unique_id(reading: &mut Reading, given: Given<'_>) -> Option<RoomUniqueId> {
    let text = reading.filled_text("unique_id", given)?;
    reading.check(RoomUniqueId::parse("unique_id", &text))
}

/// `POST /add_room_participants` and `POST /remove_room_participants`
#[derive(Deserialize, ToSchema)]
#[schema(as = RoomAndUsers)]
pub struct RoomAndUsersFields<'a> {
    /// Room id, or a room unique id.
    #[schema(value_type = String, required = true, example = "support")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// At most 100.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[serde(default, alias = "user_ids[]")]
    user_ids: Given<'a>,
}

/// Reads a room and users.
pub fn read_room_and_users(body: &Body<'_>) -> Result<(RoomRef, Vec<UserId>), Refusal> {
    let fields: RoomAndUsersFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_room(&mut reading, fields.room_id);
    let users =
        read_some_user_ids(&mut reading, "user_ids", fields.user_ids, limits::CALL_USERS_MAX);
    room.zip(users).ok_or_else(|| reading.refusal())
}

/// `GET /get_room_participants`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ParticipantsFields<'a> {
    /// Room id, or a room unique id.
    #[param(value_type = String, required = true, example = "support")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// From 1.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
}

/// Reads a room and a page of its participants.
pub fn read_participants(query: &Body<'_>) -> Result<(RoomRef, Page), Refusal> {
    let fields: ParticipantsFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let room = read_room(&mut reading, fields.room_id);
    let page = read_page(fields.page, fields.limit, limits::PAGE_DEFAULT);
    room.map(|room| (room, page)).ok_or_else(|| reading.refusal())
}

/// `GET /get_user_rooms`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserRoomsFields<'a> {
    /// The user.
    #[param(value_type = String, required = true, example = "ana")]
    #[serde(borrow, default)]
    user_id: Given<'a>,
    /// From 1, the rooms last spoken in first.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    page: Given<'a>,
    /// Default and at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
    /// `single`, `group` or `channel`.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    room_type: Given<'a>,
}

/// A page of a user's rooms.
#[derive(Debug)]
pub struct UserRooms {
    /// Whose.
    pub user: UserId,
    /// Which page.
    pub page: Page,
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
}

impl UserRooms {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UserRoomsFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let user = read_user_id(&mut reading, "user_id", fields.user_id);
        let name = reading.filled_text("room_type", fields.room_type);
        let kind = name.and_then(|name| {
            let kind = RoomKind::parse(&name);
            kind.or_else(|| reading.wrong("room_type", "must be single, group or channel"))
        });
        let page = read_page(fields.page, fields.limit, limits::PAGE_MAX);
        let Some(user) = user else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self { user, page, kind })
    }
}

/// `GET /get_rooms_info`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RoomsFields<'a> {
    /// Rooms by id or unique id.
    #[param(value_type = Option<Vec<String>>, rename = "room_ids[]")]
    #[serde(borrow, default, alias = "room_ids[]")]
    room_ids: Given<'a>,
    /// Rooms by unique id or id.
    #[param(value_type = Option<Vec<String>>, rename = "room_channel_ids[]")]
    #[serde(default, alias = "room_channel_ids[]")]
    room_channel_ids: Given<'a>,
}

/// Reads which rooms are meant: at least one, at most 100.
pub fn read_rooms(query: &Body<'_>) -> Result<Vec<RoomRef>, Refusal> {
    let fields: RoomsFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let rooms = read_room_list(&mut reading, &fields);
    rooms.ok_or_else(|| reading.refusal())
}

fn read_room_list(reading: &mut Reading, fields: &RoomsFields<'_>) -> Option<Vec<RoomRef>> {
    let mut rooms: Vec<RoomRef> = Vec::new();
    let lists = [("room_ids", fields.room_ids), ("room_channel_ids", fields.room_channel_ids)];
    for (field, given) in lists {
        if given.is_absent() {
            continue;
        }
        for text in reading.keys(field, given)? {
            let room = reading.check(RoomRef::parse(field, &text))?;
            if !rooms.contains(&room) {
                rooms.push(room);
            }
        }
    }
    if rooms.len() > limits::CALL_ROOMS_MAX {
        return reading.wrong("room_ids", "must name at most 100 rooms");
    }
    reading.needed("room_ids", Some(rooms).filter(|rooms| !rooms.is_empty()))
}

/// `GET /get_unread_count`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UnreadFields<'a> {
    /// The user.
    #[param(value_type = String, required = true, example = "ana")]
    #[serde(borrow, default)]
    user_id: Given<'a>,
    /// Rooms by id or unique id.
    #[param(value_type = Option<Vec<String>>, rename = "room_ids[]")]
    #[serde(default, alias = "room_ids[]")]
    room_ids: Given<'a>,
    /// Rooms by unique id or id.
    #[param(value_type = Option<Vec<String>>, rename = "room_channel_ids[]")]
    #[serde(default, alias = "room_channel_ids[]")]
    room_channel_ids: Given<'a>,
}

/// Reads a user and rooms of theirs.
pub fn read_unread(query: &Body<'_>) -> Result<(UserId, Vec<RoomRef>), Refusal> {
    let fields: UnreadFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let user = read_user_id(&mut reading, "user_id", fields.user_id);
    let UnreadFields { room_ids, room_channel_ids, .. } = fields;
    let rooms = read_room_list(&mut reading, &RoomsFields { room_ids, room_channel_ids });
    user.zip(rooms).ok_or_else(|| reading.refusal())
}
