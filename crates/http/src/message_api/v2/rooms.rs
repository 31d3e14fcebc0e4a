//! Rooms (wire facts 3.9).
//!
//! - `POST /create_room`, `POST /update_room`
//! - `GET` and `POST /get_or_create_room_with_target`
//! - `POST /get_rooms_info`, `GET /get_user_rooms`

use std::sync::Arc;

use axum::extract::State;
use confab_app::admission::response_backpressure::Asker;
use confab_app::services::Services;
use confab_app::{actions, ids};
use confab_domain::app::App;
use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::updating::UpdateRoom;
use confab_store::SeenListing;
use confab_wire::body::Body;
use confab_wire::message_api::v2::{
    ChangeRoomFields, NewRoomFields, PairFields, RoomAndPeople, RoomInfoList, RoomInfoPage,
    RoomInfos, RoomInfosFields, RoomPagesFields, RoomsOfUser, read_change_room, read_new_room,
    read_pair, room_and_people, room_info, room_info_list, room_info_page,
};
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::rooms::{OpenedRoom, opened_room};

use super::{NOBODY, addressed_pair, seen, viewer};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::RestV2Caller;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};
use crate::responses::json::write;
use crate::sdk::room_list::{RoomListView, ShownRoom, room_list_for};

#[utoipa::path(
    post,
    path = "/create_room",
    operation_id = "rest_v2_create_room",
    tag = "Message API v2",
    summary = "Create a group room",
    request_body = NewRoomFields,
    responses((status = 200, description = "Done", body = Results<RoomAndPeople<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let wanted = read_new_room(body.fields())?;
    let creator = wanted.creator.clone();
    services.quotas().count_room(caller.app.id, None)?;
    let room = actions::open_room(&services, &caller.app, wanted).await?;
    let seen = seen(&services, NOBODY, Room::clone(&room)).await?;
    ok(room_and_people(&seen, creator.as_ref().map_or("", UserRef::as_str)))
}

#[utoipa::path(
    post,
    path = "/update_room",
    operation_id = "rest_v2_update_room",
    tag = "Message API v2",
    summary = "Change a group room",
    request_body = ChangeRoomFields,
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let (room, edit, user) = read_change_room(body.fields())?;
    let viewer = viewer(&services, caller.app.id, user.as_ref()).await?;
    let (changed, room) = services.decide(&caller.app, UpdateRoom { room, edit }).await?;
    opened(&services, &caller.app, viewer, Room::clone(&room), changed).await
}

#[utoipa::path(
    get,
    path = "/get_or_create_room_with_target",
    operation_id = "rest_v2_find_room_with_target",
    tag = "Message API v2",
    summary = "Get or create the single room of two users, with GET for older clients",
    params(PairFields),
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn open_pair_by_query(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery,
) -> Answer {
    pair(&services, &caller.app, &query.fields()?).await
}

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_target",
    operation_id = "rest_v2_get_or_create_room_with_target",
    tag = "Message API v2",
    summary = "Get or create the single room of two users",
    request_body = PairFields,
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn open_pair(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    pair(&services, &caller.app, body.fields()).await
}

async fn pair(services: &Services, app: &Arc<App>, fields: &Body<'_>) -> Answer {
    let (users, options) = read_pair(fields)?;
    let pair = addressed_pair(services, app.id, &users).await?;
    let name = ids::pair_unique_id(&pair);
    quotas::count_room(services, app.id, None, &name).await?;
    let room = actions::open_pair(services, app, pair, options).await?;
    let viewer = viewer(services, app.id, users.first()).await?;
    opened(services, app, viewer, Room::clone(&room), false).await
}

#[utoipa::path(
    post,
    path = "/get_rooms_info",
    operation_id = "rest_v2_get_rooms_info",
    tag = "Message API v2",
    summary = "Get rooms by id, with a user's number of unread messages",
    request_body = RoomInfosFields,
    responses((status = 200, description = "Done", body = Results<RoomInfoList<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let RoomInfos { rooms, user, shows_participants } = RoomInfos::read(body.fields())?;
    let viewer = viewer(&services, caller.app.id, user.as_ref()).await?;
    let rooms = services.store().rooms(caller.app.id, &rooms).await?;
    let looking = RoomListView { viewer, shows_participants, shown: INFO };
    let shell = results(room_info_list());
    room_list_for(&services, Asker::app(&caller.app), looking, &shell, rooms).await
}

#[utoipa::path(
    get,
    path = "/get_user_rooms",
    operation_id = "rest_v2_get_user_rooms",
    tag = "Message API v2",
    summary = "List a user's rooms, latest message first",
    params(RoomPagesFields),
    responses((status = 200, description = "Done", body = Results<RoomInfoPage<'static>>)),
)]
pub(crate) async fn list_of_user(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery,
) -> Answer {
    let asked = RoomsOfUser::read(&query.fields()?)?;
    let viewer = viewer(&services, caller.app.id, Some(&asked.user)).await?;
    let (skipped, size) = (asked.page.skipped(), asked.page.size);
    let listing = SeenListing { kind: asked.kind, shows_empty: true, skipped, size };
    let (rooms, total) = services.store().rooms_of_user(viewer, listing).await?;
    let looking =
        RoomListView { viewer, shows_participants: asked.shows_participants, shown: INFO };
    let shell = results(room_info_page(asked.page, total));
    room_list_for(&services, Asker::app(&caller.app), looking, &shell, rooms).await
}

const INFO: ShownRoom = |seen, viewer, shows_participants, out| {
    write(out, &room_info(seen, viewer, shows_participants));
};

/// Answers with a room and its newest messages.
async fn opened(
    services: &Services,
    app: &App,
    viewer: UserKey,
    room: Room,
    changed: bool,
) -> Answer {
    let (store, asked) = (services.store(), RoomRef::Id(room.id));
    let page = store.page(app.id, &asked, 0, limits::PAGE_DEFAULT).await?.unwrap_or_default();
    let comments = store.loaded(page).await?;
    let seen = seen(services, viewer, room).await?;
    ok(opened_room(&seen, &comments, viewer, changed))
}
