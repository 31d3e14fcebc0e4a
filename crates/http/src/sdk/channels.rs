//! Public channels: find, join and leave (wire facts 4.2).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::rooms::following::FollowChannels;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_store::Store;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::channels::{
    ChannelList, ChannelPageFields, SomeChannelsFields, channel_list, read_channel_page,
    read_channels,
};
use futures_util::future::try_join_all;

use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::UserCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// List the public channels of the app, newest first
    GET "/channels" sdk_channels = list;
    /// Get public channels by unique id; unknown ones are ignored
    POST "/channels/info" sdk_channels_info = load;
    /// Join public channels
    POST "/channels/join" sdk_channels_join = join [403 404 409];
    /// Leave public channels
    POST "/channels/leave" sdk_channels_leave = leave [403 404 409];
}

async fn list(
    Part(store): Part<Store>,
    caller: UserCaller,
    query: RequestQuery<ChannelPageFields>,
) -> Answer<Results<ChannelList<'static>>> {
    let page = read_channel_page(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let channels = store.channels_of_app(caller.app.id, skipped, size).await?;
    shown(&store, &caller, &channels).await
}

async fn load(
    Part(store): Part<Store>,
    caller: UserCaller,
    body: RequestBody<SomeChannelsFields>,
) -> Answer<Results<ChannelList<'static>>> {
    let asked = read_channels(&body.fields()?)?;
    found(&store, &caller, &asked).await
}

async fn join(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<SomeChannelsFields>,
) -> Answer<Results<ChannelList<'static>>> {
    follow(&services, &caller, read_channels(&body.fields()?)?, true).await
}

async fn leave(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<SomeChannelsFields>,
) -> Answer<Results<ChannelList<'static>>> {
    follow(&services, &caller, read_channels(&body.fields()?)?, false).await
}

async fn follow(
    services: &Services,
    caller: &UserCaller,
    channels: Vec<RoomRef>,
    joins: bool,
) -> Answer<Results<ChannelList<'static>>> {
    services.admission().quotas.count_message(caller.app.id, Some(caller.user.key))?;
    let by = caller.user.itself();
    let rule = FollowChannels { by, channels: channels.clone(), joins };
    services.decisions().decide(caller, rule).await?;
    found(services.store(), caller, &channels).await
}

async fn found(
    store: &Store,
    caller: &UserCaller,
    asked: &[RoomRef],
) -> Answer<Results<ChannelList<'static>>> {
    let mut rooms = store.rooms(caller.app.id, asked).await?;
    // Hide the existence of other kinds of rooms with this unique id.
    rooms.retain(|room| room.kind == RoomKind::Public);
    shown(store, caller, &rooms).await
}

async fn shown(
    store: &Store,
    caller: &UserCaller,
    channels: &[Room],
) -> Answer<Results<ChannelList<'static>>> {
    let is_in = |room: &Room| store.is_participant(room.id, caller.user.key);
    let are_in = try_join_all(channels.iter().map(is_in)).await?;
    ok(channel_list(channels.iter().zip(are_in)))
}
