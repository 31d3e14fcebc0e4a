//! Rooms of the message API: create, change and list (wire facts 3.2).

use axum::extract::State;
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::RoomId;
use confab_domain::rooms::opening::OpenChannel;
use confab_domain::rooms::updating::UpdateRoom;
use confab_runtime::ids;
use confab_store::{RoomListing, Store};
use confab_wire::body::Body;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{
    ChangedRoom, ChannelFields, CreateRoomFields, PairFields, RoomBox, RoomList, RoomUnread,
    RoomsFields, UnreadCounts, UnreadFields, UpdateRoomFields, UserRooms, UserRoomsFields,
    UserRoomsShape, changed_room, one_room, read_channel, read_create_room, read_pair, read_rooms,
    read_unread, read_update, room_list, user_rooms,
};

use super::{addressed, addressed_pair, unknown_user};
use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::SdkCaller;
use crate::requests::part::Part;
use crate::requests::quotas;
use crate::responses::answer::{Answer, ok};

calls! {
    "Rooms";
    /// Create a group room
    POST "/create_room" create_room = create [403 404 409];
    /// Change a group room
    POST "/update_room" update_room = change [404];
    /// Get or create the single room of two users
    POST "/get_or_create_room_with_target" get_or_create_room_with_target = open_pair [403 404 409];
    /// Get or create a channel
    POST "/get_or_create_channel" get_or_create_channel = open_channel [403 404 409];
    /// Get or create a channel, with GET for older clients
    GET "/get_or_create_channel" find_or_create_channel = open_channel_by_query [403 404 409];
    /// Get rooms by id
    GET "/get_rooms_info" get_rooms_info = load;
    /// List a user's rooms, latest message first
    GET "/get_user_rooms" get_user_rooms = list_of_user [404 409];
    /// Count a user's unread messages in some rooms
    GET "/get_unread_count" get_unread_count = count_unread [404];
}

async fn create(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody<CreateRoomFields>,
) -> Answer<Results<RoomBox<'static>>> {
    let wanted = read_create_room(&body.fields()?)?;
    services.admission().quotas.count_room(caller.app.id, None)?;
    let room = actions::open_room(services.decisions(), &caller, wanted).await?;
    ok(one_room(&room))
}

async fn change(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    body: RequestBody<UpdateRoomFields>,
) -> Answer<Results<ChangedRoom<'static>>> {
    let (room, edit) = read_update(&body.fields()?)?;
    let (changed, room) = decisions.decide(&caller, UpdateRoom { room, edit }).await?;
    ok(changed_room(changed, &room))
}

async fn open_pair(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody<PairFields>,
) -> Answer<Results<RoomBox<'static>>> {
    let (users, options) = read_pair(&body.fields()?)?;
    let pair = addressed_pair(services.store(), caller.app.id, &users).await?;
    let name = ids::pair_unique_id(&pair);
    quotas::count_room(&services, caller.app.id, None, &name).await?;
    let room = actions::open_pair(services.decisions(), &caller, pair, options).await?;
    ok(one_room(&room))
}

async fn open_channel(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody<ChannelFields>,
) -> Answer<Results<ChangedRoom<'static>>> {
    channel(&services, &caller, &body.fields()?).await
}

async fn open_channel_by_query(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery<ChannelFields>,
) -> Answer<Results<ChangedRoom<'static>>> {
    channel(&services, &caller, &query.fields()?).await
}

async fn channel(
    services: &Services,
    by: &Principal,
    fields: &Body<'_>,
) -> Answer<Results<ChangedRoom<'static>>> {
    let (unique_id, wanted) = read_channel(fields)?;
    quotas::count_room(services, by.app.id, None, &unique_id).await?;
    let rule = OpenChannel { new: wanted.with_unique_id(by.app.id, unique_id) };
    let (changed, room) = services.decisions().decide(by, rule).await?;
    ok(changed_room(changed, &room))
}

async fn load(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<RoomsFields>,
) -> Answer<Results<RoomList<'static>>> {
    let refs = read_rooms(&query.fields()?)?;
    let rooms = store.rooms(caller.app.id, &refs).await?;
    ok(room_list(&rooms))
}

async fn list_of_user(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<UserRoomsFields>,
) -> Answer<Results<UserRoomsShape<'static>>> {
    let UserRooms { user, page, kind } = UserRooms::read(&query.fields()?)?;
    let listing = RoomListing { kind, skipped: page.skipped(), size: page.size };
    let key = addressed(&store, caller.app.id, &user).await?.key;
    let (rooms, total) = store.user_rooms(caller.app.id, key, listing).await?;
    ok(user_rooms(&rooms, total, page))
}

async fn count_unread(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<UnreadFields>,
) -> Answer<Results<UnreadCounts>> {
    let (user, rooms) = read_unread(&query.fields()?)?;
    let found = store.unread(caller.app.id, &user, &rooms).await?;
    let counts = found.ok_or_else(|| unknown_user(&user))?;
    let shape = |(room, unread_count): (RoomId, u64)| RoomUnread {
        room_id: room.to_string(),
        unread_count,
    };
    ok(UnreadCounts { unread_counts: counts.into_iter().map(shape).collect() })
}
