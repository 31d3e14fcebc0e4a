//! What callers of the older server API are answered about rooms (wire facts 3.9).

use confab_domain::ids::UserKey;
use confab_domain::rooms::room_view::RoomForClient;
use serde::Serialize;
use utoipa::ToSchema;

use crate::message_api::Page;
use crate::raw_json::options_of;
use crate::sdk_api::comment::chat_type;
use crate::sdk_api::rooms::{ClientParticipant, avatar_for, name_for};
use crate::time::to_the_second;

/// A room that was opened, or into which somebody came.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomAndParticipants)]
pub struct RoomAndPeople<'a> {
    /// Who opened it, where that was just said; else an empty text.
    creator: &'a str,
    participants: Vec<ClientParticipant<'a>>,
    room_id: i64,
    room_id_str: String,
    room_name: &'a str,
    /// `single` or `group`.
    room_type: &'static str,
}

/// The room with those who are in it now.
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

/// A room in a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomInfo)]
pub struct RoomInfo<'a> {
    last_comment_id: i64,
    last_comment_id_str: String,
    last_comment_message: &'a str,
    /// 1970 in a room without comments.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_comment_timestamp: String,
    /// Free text, usually JSON.
    options: &'a str,
    /// Where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    participants: Option<Vec<ClientParticipant<'a>>>,
    room_avatar_url: &'a str,
    room_id: i64,
    room_id_str: String,
    /// A single room is named after the other one.
    room_name: &'a str,
    /// `single` or `group`.
    room_type: &'static str,
    unique_id: &'a str,
    unread_count: u64,
}

/// A room as it is listed for somebody.
pub fn room_info(seen: &RoomForClient, viewer: UserKey, shows_participants: bool) -> RoomInfo<'_> {
    let people = || seen.participants.iter().map(ClientParticipant::from).collect();
    let none = "1970-01-01T00:00:00Z".to_owned();
    RoomInfo {
        last_comment_id: seen.last_id().0,
        last_comment_id_str: seen.last_id().to_string(),
        last_comment_message: seen.last.as_ref().map_or("", |said| &said.message.text),
        last_comment_timestamp: seen
            .last
            .as_ref()
            .map_or(none, |said| to_the_second(said.message.posted_at)),
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

/// The answer of `get_rooms_info`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomsInfoAnswer)]
pub struct RoomInfoList<'a> {
    rooms_info: Vec<RoomInfo<'a>>,
}

/// What `get_rooms_info` answers beside the rooms.
pub fn room_info_list() -> RoomInfoList<'static> {
    RoomInfoList { rooms_info: Vec::new() }
}

/// How many rooms there are.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2RoomPageMeta)]
pub struct RoomInfoMeta {
    current_page: u64,
    total_room: u64,
}

/// The answer of `get_user_rooms`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RestV2UserRooms)]
pub struct RoomInfoPage<'a> {
    meta: RoomInfoMeta,
    rooms_info: Vec<RoomInfo<'a>>,
}

/// What `get_user_rooms` answers beside the rooms, of which there are so many.
pub fn room_info_page(page: Page, total: u64) -> RoomInfoPage<'static> {
    let meta = RoomInfoMeta { current_page: page.number, total_room: total };
    RoomInfoPage { meta, rooms_info: Vec::new() }
}
