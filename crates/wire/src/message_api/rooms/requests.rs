//! What callers send about rooms and their participants (wire facts 3.2, D-0018).

use confab_domain::limits;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::opening::RoomInput;
use confab_domain::rooms::room::{RoomKind, RoomRef, RoomUniqueId};
use confab_domain::rooms::updating::RoomEdit;

use crate::body::Body;
use crate::fields::{self, AddressedUsers, Filled, each_room, rooms_within_bound};
use crate::message_api::Page;
use crate::reading::Reading;
use crate::request::{FieldShape, GivenFields, Part, Request, request};

request! {
    /// `POST /create_room`
    pub struct CreateRoomFields as "CreateRoom" {
        /// The name for people.
        room_name: Filled<fields::Name>, required, example = "Support";
        /// Who is in it, at most 100 a call.
        participants: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required,
            also = "participants[]", example = r#"["ana","bob"]"#;
        /// Must exist; is not added as participant by itself.
        creator: fields::AddressedUser, optional;
        /// Names the room from now on; made by the server where absent.
        unique_id: fields::RoomUniqueId, optional;
        /// A picture.
        room_avatar_url: fields::Picture, optional;
        /// Free text, usually JSON.
        room_options: fields::Options, optional;
    }
}

/// Reads which group room to open.
pub fn read_create_room(body: &Body<'_>) -> Result<RoomInput, Refusal> {
    let fields: CreateRoomFields = body.read_spelled()?;
    Ok(RoomInput {
        unique_id: fields.unique_id,
        creator: fields.creator,
        name: fields.room_name,
        avatar_url: fields.room_avatar_url.unwrap_or_default(),
        options: fields.room_options.unwrap_or_default(),
        participants: fields.participants,
    })
}

request! {
    /// `POST /get_or_create_channel`
    pub struct ChannelFields as "GetOrCreateChannel" {
        /// Names the channel; without `#`, `+` and `/`.
        unique_id: fields::RoomUniqueId, required, example = "news";
        /// Added where missing, at most 100 a call.
        participants: AddressedUsers<0, { limits::CALL_USERS_MAX }>, optional,
            also = "participants[]";
        /// The name for people; the unique id where absent.
        room_name: Filled<fields::Name>, optional;
        /// A picture.
        room_avatar_url: fields::Picture, optional;
        /// Free text, usually JSON.
        room_options: fields::Options, optional;
    }
}

/// Reads which channel to open; it always has a unique id.
pub fn read_channel(body: &Body<'_>) -> Result<(RoomUniqueId, RoomInput), Refusal> {
    let fields: ChannelFields = body.read_spelled()?;
    let unique_id = fields.unique_id;
    let room = RoomInput {
        unique_id: None,
        creator: None,
        name: fields.room_name.unwrap_or_else(|| unique_id.as_str().to_owned()),
        avatar_url: fields.room_avatar_url.unwrap_or_default(),
        options: fields.room_options.unwrap_or_default(),
        participants: fields.participants.unwrap_or_default(),
    };
    Ok((unique_id, room))
}

request! {
    /// `POST /get_or_create_room_with_target`
    pub struct PairFields as "GetOrCreateRoomWithTarget" {
        /// Two users.
        user_ids: AddressedUsers<2, 2>, required, also = "user_ids[]", example = r#"["ana","bob"]"#;
        /// Free text, usually JSON; taken when the room is opened.
        room_options: fields::Options, optional;
    }
}

/// Reads two users and the options of their room.
pub fn read_pair(body: &Body<'_>) -> Result<([UserRef; 2], String), Refusal> {
    body.read_spelled_then(|fields: PairFields, reading| {
        let users = two_users(reading, "user_ids", fields.user_ids)?;
        Some((users, fields.room_options.unwrap_or_default()))
    })
}

/// Two users of different names.
pub(crate) fn two_users(
    reading: &mut Reading,
    field: &str,
    users: Vec<UserRef>,
) -> Option<[UserRef; 2]> {
    let is_two = |[first, second]: &[UserRef; 2]| first.user_id() != second.user_id();
    let two = <[UserRef; 2]>::try_from(users).ok().filter(is_two);
    two.or_else(|| reading.wrong(field, "must name two different users"))
}

request! {
    /// `POST /update_room`
    pub struct UpdateRoomFields as "UpdateRoom" {
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        /// A new name.
        room_name: Filled<fields::Name>, optional;
        /// A new picture.
        room_avatar_url: fields::Picture, optional;
        /// New free text.
        room_options: fields::Options, optional;
    }
}

/// Reads which room changes how.
pub fn read_update(body: &Body<'_>) -> Result<(RoomRef, RoomEdit), Refusal> {
    let fields: UpdateRoomFields = body.read_spelled()?;
    let (name, avatar_url) = (fields.room_name, fields.room_avatar_url);
    Ok((fields.room_id, RoomEdit { name, avatar_url, options: fields.room_options }))
}

request! {
    /// `POST /add_room_participants` and `POST /remove_room_participants`
    pub struct RoomAndUsersFields as "RoomAndUsers" {
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        /// At most 100.
        user_ids: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]",
            example = r#"["bob"]"#;
    }
}

/// Reads a room and users.
pub fn read_room_and_users(body: &Body<'_>) -> Result<(RoomRef, Vec<UserRef>), Refusal> {
    let RoomAndUsersFields { room_id, user_ids } = body.read_spelled()?;
    Ok((room_id, user_ids))
}

request! {
    /// `GET /get_room_participants`
    pub struct ParticipantsFields {
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        page: Page, group;
    }
}

/// Reads a room and a page of its participants.
pub fn read_participants(query: &Body<'_>) -> Result<(RoomRef, Page), Refusal> {
    let ParticipantsFields { room_id, page } = query.read_spelled()?;
    Ok((room_id, page))
}

request! {
    /// `GET /get_user_rooms`
    pub struct UserRoomsFields {
        /// The user.
        user_id: fields::AddressedUser, required, example = "ana";
        /// From 1, the rooms last spoken in first.
        page: fields::PageNumber, or 1;
        /// Default and at most 100.
        limit: fields::PageSize, or limits::PAGE_MAX;
        /// `single`, `group` or `channel`.
        room_type: fields::RoomKind, optional;
    }
}

/// A page of a user's rooms.
#[derive(Debug)]
pub struct UserRooms {
    /// Whose.
    pub user: UserRef,
    /// Which page.
    pub page: Page,
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
}

impl UserRooms {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let UserRoomsFields { user_id, page, limit, room_type } = query.read_spelled()?;
        let page = Page { number: page, size: limit };
        Ok(Self { user: user_id, page, kind: room_type })
    }
}

request! {
    /// `GET /get_rooms_info`
    pub struct RoomsFields {
        rooms: SomeRooms, group;
    }
}

/// Reads which rooms are meant: at least one, at most 100.
pub fn read_rooms(query: &Body<'_>) -> Result<Vec<RoomRef>, Refusal> {
    query.read_spelled().map(|fields: RoomsFields| fields.rooms.0)
}

/// At least one room, at most 100, from two lists.
struct SomeRooms(Vec<RoomRef>);

impl Request for SomeRooms {
    const PARTS: &'static [Part] = &[
        Part::Field(
            FieldShape::of::<fields::Rooms<0>>("room_ids", &["Rooms by id or unique id."])
                .example(r#"["first"]"#)
                .also("room_ids[]"),
        ),
        Part::Field(
            FieldShape::of::<fields::Rooms<0>>("room_channel_ids", &["Rooms by unique id or id."])
                .also("room_channel_ids[]"),
        ),
    ];

    fn read(fields: &GivenFields<'_>, reading: &mut Reading) -> Option<Self> {
        let mut rooms: Vec<RoomRef> = Vec::new();
        for field in ["room_ids", "room_channel_ids"] {
            let given = fields.get(field);
            if !given.is_absent() {
                let more = each_room(reading, field, given)?;
                for room in more {
                    if !rooms.contains(&room) {
                        rooms.push(room);
                    }
                }
            }
        }
        let rooms = rooms_within_bound(reading, "room_ids", rooms)?;
        reading.needed("room_ids", Some(rooms).filter(|rooms| !rooms.is_empty())).map(Self)
    }
}

request! {
    /// `GET /get_unread_count`
    pub struct UnreadFields {
        /// The user.
        user_id: fields::User, required, example = "ana";
        rooms: SomeRooms, group;
    }
}

/// Reads a user and rooms of theirs.
pub fn read_unread(query: &Body<'_>) -> Result<(UserId, Vec<RoomRef>), Refusal> {
    let UnreadFields { user_id, rooms } = query.read_spelled()?;
    Ok((user_id, rooms.0))
}
