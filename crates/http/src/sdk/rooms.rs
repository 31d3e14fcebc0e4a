//! Rooms of the client API: list, open, create and change (wire facts 4.2).
//!
//! - `GET /user_rooms`, `POST /rooms_info`, `GET /get_room_by_id`
//! - `POST /get_or_create_room_with_target`, `POST /get_or_create_room_with_unique_id`
//! - `POST /create_room`, `POST /update_room`

use axum::extract::State;
use confab_app::queries::{QueryError, client_rooms, visible_messages};
use confab_app::services::Services;
use confab_app::{actions, ids};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Pair, Room, RoomRef};
use confab_domain::rooms::room_view::RoomForClient;
use confab_domain::rooms::visiting::{OpenByName, UpdateRoomAs};
use confab_store::SeenListing;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::rooms::{
    EditRoomFields, NamedRoomFields, NewRoomFields, OpenedRoom, OwnRooms, OwnRoomsFields,
    RoomByIdFields, RoomPage, RoomsInfo, RoomsInfoFields, TargetFields, opened_room,
    read_edit_room, read_named_room, read_new_room, read_room_by_id, read_rooms_info, read_target,
    room_page, rooms_info,
};

use super::must_reach;
use super::room_list::{participants_shown, room_list};
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::{ClientCaller, UserCaller};
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/user_rooms",
    operation_id = "sdk_user_rooms",
    tag = "Clients",
    summary = "List the rooms of the caller, latest message first",
    params(OwnRoomsFields),
    responses((status = 200, description = "Done", body = Results<RoomPage<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery,
) -> Answer {
    let asked = OwnRooms::read(&query.fields()?)?;
    let listing = SeenListing {
        kind: asked.kind,
        shows_empty: asked.shows_empty,
        skipped: asked.page.skipped(),
        size: asked.page.size,
    };
    let (store, viewer) = (services.store(), caller.user.key);
    let (rooms, total) = store.rooms_of_user(viewer, listing).await?;
    let shell = results(room_page(&asked, total));
    room_list(&services, &caller, &shell, rooms, asked.shows_participants).await
}

#[utoipa::path(
    post,
    path = "/rooms_info",
    operation_id = "sdk_rooms_info",
    tag = "Clients",
    summary = "Get rooms of the caller, by id or unique id",
    request_body = RoomsInfoFields,
    responses((status = 200, description = "Done", body = Results<RoomsInfo<'static>>)),
)]
pub(crate) async fn load_several(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    let (asked, shows_participants) = read_rooms_info(&body.fields()?)?;
    let rooms = services.store().rooms(caller.app.id, &asked).await?;
    let rooms = client_rooms::visible_among(&services, &caller.user, rooms).await?;
    let shell = results(rooms_info(asked.len(), rooms.len()));
    room_list(&services, &caller, &shell, rooms, shows_participants).await
}

#[utoipa::path(
    get,
    path = "/get_room_by_id",
    operation_id = "sdk_get_room_by_id",
    tag = "Clients",
    summary = "Get a room of the caller with its newest comments",
    params(RoomByIdFields),
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery,
) -> Answer {
    let room = read_room_by_id(&query.fields()?)?;
    let seen = seen_room(&services, &caller, &room).await?;
    opened(&services, &caller, seen, false).await
}

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_target",
    operation_id = "sdk_get_or_create_room_with_target",
    tag = "Clients",
    summary = "Get or create the single room with another user",
    request_body = TargetFields,
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn open_pair(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (other, options) = read_target(&body.fields()?, &caller.user)?;
    must_reach(&services, &caller, std::slice::from_ref(&other)).await?;
    let pair = Pair::new(caller.user.itself(), other).map_err(Refusal::from)?;
    let (name, by) = (ids::pair_unique_id(&pair), Some(caller.user.key));
    quotas::count_room(&services, caller.app.id, by, &name).await?;
    let room = actions::open_pair(&services, &caller.app, pair, options).await?;
    opened_as(&services, &caller, &room, false).await
}

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_unique_id",
    operation_id = "sdk_get_or_create_room_with_unique_id",
    tag = "Clients",
    summary = "Get a room by its unique id, or create it as a public channel",
    request_body = NamedRoomFields,
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn open_named(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (name, wanted) = read_named_room(&body.fields()?, &caller.user)?;
    quotas::count_room(&services, caller.app.id, Some(caller.user.key), &name).await?;
    let own = caller.user.itself();
    let rule = OpenByName { by: own, new: wanted.with_unique_id(caller.app.id, name) };
    let opened = services.decide(&caller.app, rule).await?;
    opened_as(&services, &caller, &opened.1, opened.0).await
}

#[utoipa::path(
    post,
    path = "/create_room",
    operation_id = "sdk_create_room",
    tag = "Clients",
    summary = "Create a group room with the caller as a participant",
    request_body = NewRoomFields,
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let wanted = read_new_room(&body.fields()?, &caller.user)?;
    let named: Vec<_> = wanted.participants.iter().map(|it| it.user_id().clone()).collect();
    must_reach(&services, &caller, &named).await?;
    services.quotas().count_room(caller.app.id, Some(caller.user.key))?;
    let room = actions::open_room(&services, &caller.app, wanted).await?;
    opened_as(&services, &caller, &room, true).await
}

#[utoipa::path(
    post,
    path = "/update_room",
    operation_id = "sdk_update_room",
    tag = "Clients",
    summary = "Change a group room of the caller",
    request_body = EditRoomFields,
    responses((status = 200, description = "Done", body = Results<OpenedRoom<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (room, edit) = read_edit_room(&body.fields()?)?;
    let own = caller.user.itself();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let edited = services.decide(&caller.app, UpdateRoomAs { by: own, room, edit }).await?;
    opened_as(&services, &caller, &edited.1, edited.0).await
}

/// Answers with a room that the caller just opened or changed.
async fn opened_as(services: &Services, caller: &UserCaller, room: &Room, changed: bool) -> Answer {
    let seen = seen_room(services, caller, &RoomRef::Id(room.id)).await?;
    opened(services, caller, seen, changed).await
}

/// Returns the caller's view of a room, if the caller may see it.
pub(super) async fn seen_room(
    services: &Services,
    caller: &UserCaller,
    room: &RoomRef,
) -> Result<RoomForClient, QueryError> {
    client_rooms::seen(services, &caller.user, room, participants_shown(true)).await
}

/// Answers with a room and its newest messages.
async fn opened(
    services: &Services,
    caller: &UserCaller,
    seen: RoomForClient,
    changed: bool,
) -> Answer {
    let (room, cleared) = (seen.room.clone(), seen.cleared_number);
    let visible = client_rooms::shown_of(services, &caller.user, room, cleared).await?;
    let page = visible_messages::newest(services, &visible, None, limits::PAGE_DEFAULT).await?;
    let comments = services.store().loaded(page).await?;
    ok(opened_room(&seen, &comments, caller.user.key, changed))
}
