//! Rooms (wire facts 3.9).

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::updating::UpdateRoom;
use confab_runtime::admission::response_backpressure::Asker;
use confab_runtime::ids;
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
use crate::calls::calls;
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::RestV2Caller;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};
use crate::responses::json::write;
use crate::sdk::room_list::{RoomListView, ShownRoom, room_list_for};

calls! {
    "Message API v2";
    /// Create a group room
    POST "/create_room" rest_v2_create_room = create [403 404 409];
    /// Change a group room
    POST "/update_room" rest_v2_update_room = change [404 409];
    /// Get or create the single room of two users, with GET for older clients
    GET "/get_or_create_room_with_target"
        rest_v2_find_room_with_target = open_pair_by_query [403 404 409];
    /// Get or create the single room of two users
    POST "/get_or_create_room_with_target"
        rest_v2_get_or_create_room_with_target = open_pair [403 404 409];
    /// Get rooms by id, with a user's number of unread messages
    POST "/get_rooms_info" rest_v2_get_rooms_info = load [404 409];
    /// List a user's rooms, latest message first
    GET "/get_user_rooms" rest_v2_get_user_rooms = list_of_user [404 409];
}

async fn create(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<NewRoomFields>,
) -> Answer<Results<RoomAndPeople<'static>>> {
    let wanted = read_new_room(body.fields())?;
    let creator = wanted.creator.clone();
    services.admission().quotas.count_room(caller.app.id, None)?;
    let room = actions::open_room(services.decisions(), &caller, wanted).await?;
    let seen = seen(services.store(), NOBODY, Room::clone(&room)).await?;
    ok(room_and_people(&seen, creator.as_ref().map_or("", UserRef::as_str)))
}

async fn change(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<ChangeRoomFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let (room, edit, user) = read_change_room(body.fields())?;
    let viewer = viewer(services.store(), caller.app.id, user.as_ref()).await?;
    let (changed, room) = services.decisions().decide(&caller, UpdateRoom { room, edit }).await?;
    opened(&services, &caller.app, viewer, Room::clone(&room), changed).await
}

async fn open_pair_by_query(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery<PairFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    pair(&services, &caller, &query.fields()?).await
}

async fn open_pair(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<PairFields>,
) -> Answer<Results<OpenedRoom<'static>>> {
    pair(&services, &caller, body.fields()).await
}

async fn pair(
    services: &Services,
    by: &Principal,
    fields: &Body<'_>,
) -> Answer<Results<OpenedRoom<'static>>> {
    let app = &by.app;
    let (users, options) = read_pair(fields)?;
    let pair = addressed_pair(services.store(), app.id, &users).await?;
    let name = ids::pair_unique_id(&pair);
    quotas::count_room(services, app.id, None, &name).await?;
    let room = actions::open_pair(services.decisions(), by, pair, options).await?;
    let viewer = viewer(services.store(), app.id, users.first()).await?;
    opened(services, app, viewer, Room::clone(&room), false).await
}

async fn load(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<RoomInfosFields>,
) -> Answer<Results<RoomInfoList<'static>>> {
    let RoomInfos { rooms, user, shows_participants } = RoomInfos::read(body.fields())?;
    let viewer = viewer(services.store(), caller.app.id, user.as_ref()).await?;
    let rooms = services.store().rooms(caller.app.id, &rooms).await?;
    let looking = RoomListView { viewer, shows_participants, shown: INFO };
    let shell = results(room_info_list());
    room_list_for(&services, Asker::app(&caller.app), looking, &shell, rooms).await
}

async fn list_of_user(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery<RoomPagesFields>,
) -> Answer<Results<RoomInfoPage<'static>>> {
    let asked = RoomsOfUser::read(&query.fields()?)?;
    let viewer = viewer(services.store(), caller.app.id, Some(&asked.user)).await?;
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
) -> Answer<Results<OpenedRoom<'static>>> {
    let (store, asked) = (services.store(), RoomRef::Id(room.id));
    let page = store.page(app.id, &asked, 0, limits::PAGE_DEFAULT).await?.unwrap_or_default();
    let comments = store.loaded(page).await?;
    let seen = seen(store, viewer, room).await?;
    ok(opened_room(&seen, &comments, viewer, changed))
}
