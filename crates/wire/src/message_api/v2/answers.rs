//! Responses of the older server API about rooms (wire facts 3.9).

use confab_domain::ids::UserKey;
use confab_domain::rooms::room_view::RoomForClient;
use serde::Serialize;
use utoipa::ToSchema;

use crate::message_api::Page;
use crate::raw_json::options_of;
use crate::sdk_api::comment::chat_type;
use crate::sdk_api::rooms::{ClientParticipant, avatar_for, name_for};
use crate::time::to_the_second;

/// A room and its participants, after the room was created or participants were added.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomAndParticipants)]
pub struct RoomAndPeople<'a> {
    /// User id of the creator if the request contains it, otherwise an empty string.
    creator: &'a str,
    participants: Vec<ClientParticipant<'a>>,
    room_id: i64,
    room_id_str: String,
    room_name: &'a str,
    /// Kind of the room: `single` or `group`.
    room_type: &'static str,
}

/// Returns a room and its current participants.
pub fn room_and_people<'a>(seen: &'a RoomForClient, creator: &'a str) -> RoomAndPeople<'a> {
    RoomAndPeople {
        creator,
        participants: seen.participants.iter().map(ClientParticipant::from).collect(),
        room_id: seen.room.id.0,
        room_id_str: seen.room.id.to_string(),
        room_name: &seen.room.name,
        room_type: chat_type(seen.room.kind),
    }
}

/// A room in the responses to `get_rooms_info` and `get_user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomInfo)]
pub struct RoomInfo<'a> {
    last_comment_id: i64,
    last_comment_id_str: String,
    last_comment_message: &'a str,
    /// Time of the last message; `1970-01-01T00:00:00Z` if the room has no messages.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_comment_timestamp: String,
    /// Free text that the app stores with the room, usually JSON.
    options: &'a str,
    /// Participants of the room; only present if the request has `show_participants`.
    #[serde(skip_serializing_if = "Option::is_none")]
    participants: Option<Vec<ClientParticipant<'a>>>,
    room_avatar_url: &'a str,
    room_id: i64,
    room_id_str: String,
    /// Display name; a single room has the name of the other participant.
    room_name: &'a str,
    /// Kind of the room: `single` or `group`.
    room_type: &'static str,
    unique_id: &'a str,
    unread_count: u64,
}

/// Returns a room as listed for a viewer.
pub fn room_info(seen: &RoomForClient, viewer: UserKey, shows_participants: bool) -> RoomInfo<'_> {
    let people = || seen.participants.iter().map(ClientParticipant::from).collect();
    let none = "1970-01-01T00:00:00Z".to_owned();
    RoomInfo {
        last_comment_id: seen.last_id().0,
        last_comment_id_str: seen.last_id().to_string(),
        last_comment_message: seen.last.as_ref().map_or("", |posted| &posted.message.text),
        last_comment_timestamp: seen
            .last
            .as_ref()
            .map_or(none, |posted| to_the_second(posted.message.posted_at)),
        options: options_of(&seen.room.options),
        participants: shows_participants.then(people),
        room_avatar_url: avatar_for(seen, viewer),
        room_id: seen.room.id.0,
        room_id_str: seen.room.id.to_string(),
        room_name: name_for(seen, viewer),
        room_type: chat_type(seen.room.kind),
        unique_id: seen.room.unique_id.as_str(),
        unread_count: seen.unread,
    }
}

/// The `results` object of `get_rooms_info`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomsInfoAnswer)]
pub struct RoomInfoList<'a> {
    rooms_info: Vec<RoomInfo<'a>>,
}

/// Returns the response to `get_rooms_info` without the rooms, which the caller inserts.
pub fn room_info_list() -> RoomInfoList<'static> {
    RoomInfoList { rooms_info: Vec::new() }
}

/// Number of the page, and total number of the user's rooms.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomPageMeta)]
pub struct RoomInfoMeta {
    current_page: u64,
    total_room: u64,
}

/// The `results` object of `get_user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2UserRooms)]
pub struct RoomInfoPage<'a> {
    meta: RoomInfoMeta,
    rooms_info: Vec<RoomInfo<'a>>,
}

/// Returns the response to `get_user_rooms` without the rooms, which the caller inserts. `total` is
/// the number of all rooms of the user.
pub fn room_info_page(page: Page, total: u64) -> RoomInfoPage<'static> {
    let meta = RoomInfoMeta { current_page: page.number, total_room: total };
    RoomInfoPage { meta, rooms_info: Vec::new() }
}
