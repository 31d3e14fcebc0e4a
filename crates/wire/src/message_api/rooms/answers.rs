//! What callers are answered about rooms and their participants (wire facts 3.2).

use std::sync::Arc;

use confab_domain::people::user::User;
use confab_domain::rooms::room::{Room, RoomKind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::message_api::Page;
use crate::message_api::users::UserShape;
use crate::raw_json::options_of;

/// A room (wire facts 3.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomShape<'a> {
    /// A picture, or an empty text.
    room_avatar_url: &'a str,
    /// The unique id of a channel, else an empty text.
    room_channel_id: &'a str,
    /// The room's integer, as a string.
    room_id: String,
    /// The name for people; empty for single rooms.
    room_name: &'a str,
    /// Free text, usually JSON.
    room_options: &'a str,
    /// `single`, `group` or `channel`.
    room_type: &'a str,
    /// Names the room wherever a room id is taken.
    unique_id: &'a str,
}

impl<'a> From<&'a Room> for RoomShape<'a> {
    fn from(room: &'a Room) -> Self {
        let unique_id = room.unique_id.as_str();
        Self {
            room_avatar_url: &room.avatar_url,
            room_channel_id: if room.kind == RoomKind::Public { unique_id } else { "" },
            room_id: room.id.to_string(),
            room_name: &room.name,
            room_options: options_of(&room.options),
            room_type: room.kind.as_str(),
            unique_id,
        }
    }
}

/// `results.room`
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomBox<'a> {
    /// The room.
    pub room: RoomShape<'a>,
}

/// The answer about one room.
pub fn one_room(room: &Room) -> RoomBox<'_> {
    RoomBox { room: room.into() }
}

/// `results.room`, and whether anything changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedRoom<'a> {
    /// Whether anything changed.
    pub changed: bool,
    /// The room.
    pub room: RoomShape<'a>,
}

/// The answer about a room that may have changed.
pub fn changed_room(changed: bool, room: &Room) -> ChangedRoom<'_> {
    ChangedRoom { changed, room: room.into() }
}

/// `results.rooms`
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomList<'a> {
    /// The rooms found.
    pub rooms: Vec<RoomShape<'a>>,
}

/// The answer of `get_rooms_info`.
pub fn room_list(rooms: &[Room]) -> RoomList<'_> {
    RoomList { rooms: rooms.iter().map(RoomShape::from).collect() }
}

/// How many rooms there are.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserRoomsMeta {
    current_page: u64,
    total_room: u64,
}

/// The answer of `get_user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserRoomsShape<'a> {
    meta: UserRoomsMeta,
    rooms: Vec<RoomShape<'a>>,
}

/// A page of a user's rooms, of so many in all.
pub fn user_rooms(rooms: &[Room], total: u64, page: Page) -> UserRoomsShape<'_> {
    let meta = UserRoomsMeta { current_page: page.number, total_room: total };
    UserRoomsShape { meta, rooms: rooms.iter().map(RoomShape::from).collect() }
}

/// `results.participants`
#[derive(Debug, Serialize, ToSchema)]
pub struct Participants<'a> {
    /// Who is in the room, in the order they were registered.
    pub participants: Vec<UserShape<'a>>,
}

/// The answer of `get_room_participants`.
pub fn participants(users: &[User]) -> Participants<'_> {
    Participants { participants: users.iter().map(UserShape::from).collect() }
}

/// `results.participants_added`
#[derive(Debug, Serialize, ToSchema)]
pub struct ParticipantsAdded<'a> {
    /// Who came in.
    pub participants_added: Vec<UserShape<'a>>,
}

/// The answer of `add_room_participants`.
pub fn participants_added(users: &[Arc<User>]) -> ParticipantsAdded<'_> {
    ParticipantsAdded { participants_added: users.iter().map(|u| (&**u).into()).collect() }
}

/// `results.participants_removed`
#[derive(Debug, Serialize, ToSchema)]
pub struct ParticipantsRemoved<'a> {
    /// Who left.
    pub participants_removed: Vec<UserShape<'a>>,
}

/// The answer of `remove_room_participants`.
pub fn participants_removed(users: &[Arc<User>]) -> ParticipantsRemoved<'_> {
    ParticipantsRemoved { participants_removed: users.iter().map(|u| (&**u).into()).collect() }
}

/// How much a user has not read in a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomUnread {
    /// The room's integer, as a string.
    pub room_id: String,
    /// Messages.
    pub unread_count: u64,
}

/// The answer of `get_unread_count`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnreadCounts {
    /// One entry a room.
    pub unread_counts: Vec<RoomUnread>,
}
