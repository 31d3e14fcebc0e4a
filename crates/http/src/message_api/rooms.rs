//! Rooms of the message API: create, change and list (wire facts 3.2).
//!
//! - `POST /create_room`, `POST /update_room`
//! - `POST /get_or_create_room_with_target`, `GET` and `POST /get_or_create_channel`
//! - `GET /get_rooms_info`, `GET /get_user_rooms`
//! - `GET /get_unread_count`

use std::sync::Arc;

use axum::extract::State;
use confab_app::services::Services;
use confab_app::{actions, ids};
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::rooms::opening::OpenChannel;
use confab_domain::rooms::updating::UpdateRoom;
use confab_store::RoomListing;
use confab_wire::body::Body;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{
    ChangedRoom, ChannelFields, CreateRoomFields, PairFields, RoomBox, RoomList, RoomUnread,
    RoomsFields, UnreadCounts, UnreadFields, UpdateRoomFields, UserRooms, UserRoomsFields,
    UserRoomsShape, changed_room, one_room, read_channel, read_create_room, read_pair, read_rooms,
    read_unread, read_update, room_list, user_rooms,
};

use super::{addressed, addressed_pair, unknown_user};
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::SdkCaller;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    post,
    path = "/create_room",
    operation_id = "create_room",
    tag = "Rooms",
    summary = "Create a group room",
    request_body = CreateRoomFields,
    responses((status = 200, description = "Done", body = Results<RoomBox<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let wanted = read_create_room(&body.fields()?)?;
    services.quotas().count_room(caller.app.id, None)?;
    let room = actions::open_room(&services, &caller.app, wanted).await?;
    ok(one_room(&room))
}

#[utoipa::path(
    post,
    path = "/update_room",
    operation_id = "update_room",
    tag = "Rooms",
    summary = "Change a group room",
    request_body = UpdateRoomFields,
    responses((status = 200, description = "Done", body = Results<ChangedRoom<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (room, edit) = read_update(&body.fields()?)?;
    let (changed, room) = services.decide(&caller.app, UpdateRoom { room, edit }).await?;
    ok(changed_room(changed, &room))
}

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_target",
    operation_id = "get_or_create_room_with_target",
    tag = "Rooms",
    summary = "Get or create the single room of two users",
    request_body = PairFields,
    responses((status = 200, description = "Done", body = Results<RoomBox<'static>>)),
)]
pub(crate) async fn open_pair(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (users, options) = read_pair(&body.fields()?)?;
    let pair = addressed_pair(&services, caller.app.id, &users).await?;
    let name = ids::pair_unique_id(&pair);
    quotas::count_room(&services, caller.app.id, None, &name).await?;
    let room = actions::open_pair(&services, &caller.app, pair, options).await?;
    ok(one_room(&room))
}

#[utoipa::path(
    post,
    path = "/get_or_create_channel",
    operation_id = "get_or_create_channel",
    tag = "Rooms",
    summary = "Get or create a channel",
    request_body = ChannelFields,
    responses((status = 200, description = "Done", body = Results<ChangedRoom<'static>>)),
)]
pub(crate) async fn open_channel(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    channel(&services, &caller.app, &body.fields()?).await
}

#[utoipa::path(
    get,
    path = "/get_or_create_channel",
    operation_id = "find_or_create_channel",
    tag = "Rooms",
    summary = "Get or create a channel, with GET for older clients",
    params(ChannelFields),
    responses((status = 200, description = "Done", body = Results<ChangedRoom<'static>>)),
)]
pub(crate) async fn open_channel_by_query(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    channel(&services, &caller.app, &query.fields()?).await
}

async fn channel(services: &Services, app: &Arc<App>, fields: &Body<'_>) -> Answer {
    let (unique_id, wanted) = read_channel(fields)?;
    quotas::count_room(services, app.id, None, &unique_id).await?;
    let rule = OpenChannel { new: wanted.with_unique_id(app.id, unique_id) };
    let (changed, room) = services.decide(app, rule).await?;
    ok(changed_room(changed, &room))
}

#[utoipa::path(
    get,
    path = "/get_rooms_info",
    operation_id = "get_rooms_info",
    tag = "Rooms",
    summary = "Get rooms by id",
    params(RoomsFields),
    responses((status = 200, description = "Done", body = Results<RoomList<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let refs = read_rooms(&query.fields()?)?;
    let rooms = services.store().rooms(caller.app.id, &refs).await?;
    ok(room_list(&rooms))
}

#[utoipa::path(
    get,
    path = "/get_user_rooms",
    operation_id = "get_user_rooms",
    tag = "Rooms",
    summary = "List a user's rooms, latest message first",
    params(UserRoomsFields),
    responses((status = 200, description = "Done", body = Results<UserRoomsShape<'static>>)),
)]
pub(crate) async fn list_of_user(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let UserRooms { user, page, kind } = UserRooms::read(&query.fields()?)?;
    let listing = RoomListing { kind, skipped: page.skipped(), size: page.size };
    let key = addressed(&services, caller.app.id, &user).await?.key;
    let (rooms, total) = services.store().user_rooms(caller.app.id, key, listing).await?;
    ok(user_rooms(&rooms, total, page))
}

#[utoipa::path(
    get,
    path = "/get_unread_count",
    operation_id = "get_unread_count",
    tag = "Rooms",
    summary = "Count a user's unread messages in some rooms",
    params(UnreadFields),
    responses((status = 200, description = "Done", body = Results<UnreadCounts>)),
)]
pub(crate) async fn count_unread(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let (user, rooms) = read_unread(&query.fields()?)?;
    let found = services.store().unread(caller.app.id, &user, &rooms).await?;
    let counts = found.ok_or_else(|| unknown_user(&user))?;
    let shape = |(room, unread_count): (RoomId, u64)| RoomUnread {
        room_id: room.to_string(),
        unread_count,
    };
    ok(UnreadCounts { unread_counts: counts.into_iter().map(shape).collect() })
}
