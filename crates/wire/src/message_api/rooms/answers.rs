//! Responses about rooms and their participants (wire facts 3.2).

use std::sync::Arc;

use confab_domain::people::user::User;
use confab_domain::rooms::room::{Room, RoomKind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::message_api::Page;
use crate::message_api::users::UserShape;
use crate::raw_json::options_of;

/// A room in the format of the message API (wire facts 3.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomShape<'a> {
    /// URL of the room's picture, or an empty string.
    room_avatar_url: &'a str,
    /// Unique id if the room is a channel, otherwise an empty string.
    room_channel_id: &'a str,
    /// Room id: an integer as a string.
    room_id: String,
    /// Display name; empty for single rooms.
    room_name: &'a str,
    /// Free text that the app stores with the room, usually JSON.
    room_options: &'a str,
    /// Kind of the room: `single`, `group` or `channel`.
    room_type: &'a str,
    /// Unique id of the room, which calls accept instead of the room id.
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

/// The `results` object of a response with one room.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomBox<'a> {
    pub room: RoomShape<'a>,
}

/// Returns a response with one room.
pub fn one_room(room: &Room) -> RoomBox<'_> {
    RoomBox { room: room.into() }
}

/// The `results` object of a response with a room that the call may have changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedRoom<'a> {
    /// Whether the call changed anything.
    pub changed: bool,
    /// The room after the call.
    pub room: RoomShape<'a>,
}

/// Returns a response with a room that the call may have changed.
pub fn changed_room(changed: bool, room: &Room) -> ChangedRoom<'_> {
    ChangedRoom { changed, room: room.into() }
}

/// The `results` object of a response with several rooms.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomList<'a> {
    /// The requested rooms.
    pub rooms: Vec<RoomShape<'a>>,
}

/// Returns the response to `get_rooms_info`.
pub fn room_list(rooms: &[Room]) -> RoomList<'_> {
    RoomList { rooms: rooms.iter().map(RoomShape::from).collect() }
}

/// Number of the page, and total number of the user's rooms.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserRoomsMeta {
    current_page: u64,
    total_room: u64,
}

/// The `results` object of `get_user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserRoomsShape<'a> {
    meta: UserRoomsMeta,
    rooms: Vec<RoomShape<'a>>,
}

/// Returns the response to `get_user_rooms`: one page, and the total number of rooms.
pub fn user_rooms(rooms: &[Room], total: u64, page: Page) -> UserRoomsShape<'_> {
    let meta = UserRoomsMeta { current_page: page.number, total_room: total };
    UserRoomsShape { meta, rooms: rooms.iter().map(RoomShape::from).collect() }
}

/// The `results` object of `get_room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Participants<'a> {
    /// Participants of the room, in the order in which they were registered.
    pub participants: Vec<UserShape<'a>>,
}

/// Returns the response to `get_room_participants`.
pub fn participants(users: &[User]) -> Participants<'_> {
    Participants { participants: users.iter().map(UserShape::from).collect() }
}

/// The `results` object of `add_room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ParticipantsAdded<'a> {
    /// Users that the call added.
    pub participants_added: Vec<UserShape<'a>>,
}

/// Returns the response to `add_room_participants`.
pub fn participants_added(users: &[Arc<User>]) -> ParticipantsAdded<'_> {
    ParticipantsAdded { participants_added: users.iter().map(|u| (&**u).into()).collect() }
}

/// The `results` object of `remove_room_participants`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ParticipantsRemoved<'a> {
    /// Users that the call removed.
    pub participants_removed: Vec<UserShape<'a>>,
}

/// Returns the response to `remove_room_participants`.
pub fn participants_removed(users: &[Arc<User>]) -> ParticipantsRemoved<'_> {
    ParticipantsRemoved { participants_removed: users.iter().map(|u| (&**u).into()).collect() }
}

/// A user's number of unread messages in a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoomUnread {
    /// Room id: an integer as a string.
    pub room_id: String,
    /// Number of unread messages.
    pub unread_count: u64,
}

/// The `results` object of `get_unread_count`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnreadCounts {
    /// One entry per room.
    pub unread_counts: Vec<RoomUnread>,
}
