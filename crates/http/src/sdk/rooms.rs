//! Rooms of the client API: list, open, create and change (wire facts 4.2).

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Pair, Room, RoomRef};
use confab_domain::rooms::room_view::RoomForClient;
use confab_domain::rooms::visiting::{OpenByName, UpdateRoomAs};
use confab_queries::{QueryError, client_rooms, visible_messages};
use confab_runtime::ids;
use confab_store::{SeenListing, Store};
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::rooms::{
    EditRoomFields, NamedRoomFields, NewRoomFields, OpenedRoom, OwnRooms, OwnRoomsFields,
    RoomByIdFields, RoomPage, RoomsInfo, RoomsInfoFields, TargetFields, opened_room,
    read_edit_room, read_named_room, read_new_room, read_room_by_id, read_rooms_info, read_target,
    room_page, rooms_info,
};

use super::must_reach;
use super::room_list::{participants_shown, room_list};
use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::{ClientCaller, UserCaller};
use crate::requests::part::Part;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// List the rooms of the caller, latest message first
    GET "/user_rooms" sdk_user_rooms = list;
    /// Get rooms of the caller, by id or unique id
    POST "/rooms_info" sdk_rooms_info = load_several;
    /// Get a room of the caller with its newest comments
    GET "/get_room_by_id" sdk_get_room_by_id = load [404];
    /// Get or create the single room with another user
    POST "/get_or_create_room_with_target"
        sdk_get_or_create_room_with_target = open_pair [403 404 409];
    /// Get a room by its unique id, or create it as a public channel
    POST "/get_or_create_room_with_unique_id"
        sdk_get_or_create_room_with_unique_id = open_named [403 404 409];
    /// Create a group room with the caller as a participant
    POST "/create_room" sdk_create_room = create [403 404 409];
    /// Change a group room of the caller
    POST "/update_room" sdk_update_room = change [403 404];
}

async fn list(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<OwnRoomsFields>,
) -> Answer<Results<RoomPage<'static>>> {
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

async fn load_several(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<RoomsInfoFields>,
) -> Answer<Results<RoomsInfo<'static>>> {
    let (asked, shows_participants) = read_rooms_info(&body.fields()?)?;
    let rooms = services.store().rooms(caller.app.id, &asked).await?;
    let rooms = client_rooms::visible_among(services.store(), &caller.user, rooms).await?;
    let shell = results(rooms_info(asked.len(), rooms.len()));
    room_list(&services, &caller, &shell, rooms, shows_participants).await
}

async fn load(
    Part(store): Part<Store>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<RoomByIdFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let room = read_room_by_id(&query.fields()?)?;
    let seen = seen_room(&store, &caller, &room).await?;
    opened(&store, &caller, seen, false).await
}

async fn open_pair(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<TargetFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let (other, options) = read_target(&body.fields()?, &caller.user)?;
    must_reach(services.store(), &caller, std::slice::from_ref(&other)).await?;
    let pair = Pair::new(caller.user.itself(), other).map_err(Refusal::from)?;
    let (name, by) = (ids::pair_unique_id(&pair), Some(caller.user.key));
    quotas::count_room(&services, caller.app.id, by, &name).await?;
    let room = actions::open_pair(services.decisions(), &caller, pair, options).await?;
    opened_as(services.store(), &caller, &room, false).await
}

async fn open_named(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<NamedRoomFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let (name, wanted) = read_named_room(&body.fields()?, &caller.user)?;
    quotas::count_room(&services, caller.app.id, Some(caller.user.key), &name).await?;
    let own = caller.user.itself();
    let rule = OpenByName { by: own, new: wanted.with_unique_id(caller.app.id, name) };
    let opened = services.decisions().decide(&caller, rule).await?;
    opened_as(services.store(), &caller, &opened.1, opened.0).await
}

async fn create(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<NewRoomFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let wanted = read_new_room(&body.fields()?, &caller.user)?;
    let named: Vec<_> = wanted.participants.iter().map(|it| it.user_id().clone()).collect();
    must_reach(services.store(), &caller, &named).await?;
    services.admission().quotas.count_room(caller.app.id, Some(caller.user.key))?;
    let room = actions::open_room(services.decisions(), &caller, wanted).await?;
    opened_as(services.store(), &caller, &room, true).await
}

async fn change(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<EditRoomFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let (room, edit) = read_edit_room(&body.fields()?)?;
    let own = caller.user.itself();
    services.admission().quotas.count_message(caller.app.id, Some(caller.user.key))?;
    let edited = services.decisions().decide(&caller, UpdateRoomAs { by: own, room, edit }).await?;
    opened_as(services.store(), &caller, &edited.1, edited.0).await
}

/// Answers with a room that the caller just opened or changed.
async fn opened_as(
    store: &Store,
    caller: &UserCaller,
    room: &Room,
    changed: bool,
) -> Answer<Results<OpenedRoom<'static>>> {
    let seen = seen_room(store, caller, &RoomRef::Id(room.id)).await?;
    opened(store, caller, seen, changed).await
}

/// Returns the caller's view of a room, if the caller may see it.
pub(super) async fn seen_room(
    store: &Store,
    caller: &UserCaller,
    room: &RoomRef,
) -> Result<RoomForClient, QueryError> {
    client_rooms::seen(store, &caller.user, room, participants_shown(true)).await
}

/// Answers with a room and its newest messages.
async fn opened(
    store: &Store,
    caller: &UserCaller,
    seen: RoomForClient,
    changed: bool,
) -> Answer<Results<OpenedRoom<'static>>> {
    let (room, cleared) = (seen.room.clone(), seen.cleared_number);
    let visible = client_rooms::shown_of(store, &caller.user, room, cleared).await?;
    let page = visible_messages::newest(store, &visible, None, limits::PAGE_DEFAULT).await?;
    let comments = store.loaded(page).await?;
    ok(opened_room(&seen, &comments, caller.user.key, changed))
}
