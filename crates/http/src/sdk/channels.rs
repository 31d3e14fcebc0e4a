//! Public channels: find, join and leave (wire facts 4.2).
//!
//! - `GET /channels`
//! - `POST /channels/info`, `POST /channels/join`, `POST /channels/leave`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::rooms::following::FollowChannels;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::channels::{
    ChannelList, ChannelPageFields, SomeChannelsFields, channel_list, read_channel_page,
    read_channels,
};
use futures_util::future::try_join_all;

use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::UserCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/channels",
    operation_id = "sdk_channels",
    tag = "Clients",
    summary = "List the public channels of the app, newest first",
    params(ChannelPageFields),
    responses((status = 200, description = "Done", body = Results<ChannelList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let page = read_channel_page(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let channels = services.store().channels_of_app(caller.app.id, skipped, size).await?;
    shown(&services, &caller, &channels).await
}

#[utoipa::path(
    post,
    path = "/channels/info",
    operation_id = "sdk_channels_info",
    tag = "Clients",
    summary = "Get public channels by unique id; unknown ones are ignored",
    request_body = SomeChannelsFields,
    responses((status = 200, description = "Done", body = Results<ChannelList<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let asked = read_channels(&body.fields()?)?;
    found(&services, &caller, &asked).await
}

#[utoipa::path(
    post,
    path = "/channels/join",
    operation_id = "sdk_channels_join",
    tag = "Clients",
    summary = "Join public channels",
    request_body = SomeChannelsFields,
    responses((status = 200, description = "Done", body = Results<ChannelList<'static>>)),
)]
pub(crate) async fn join(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    follow(&services, &caller, read_channels(&body.fields()?)?, true).await
}

#[utoipa::path(
    post,
    path = "/channels/leave",
    operation_id = "sdk_channels_leave",
    tag = "Clients",
    summary = "Leave public channels",
    request_body = SomeChannelsFields,
    responses((status = 200, description = "Done", body = Results<ChannelList<'static>>)),
)]
pub(crate) async fn leave(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    follow(&services, &caller, read_channels(&body.fields()?)?, false).await
}

async fn follow(
    services: &Services,
    caller: &UserCaller,
    channels: Vec<RoomRef>,
    joins: bool,
) -> Answer {
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let by = caller.user.itself();
    let rule = FollowChannels { by, channels: channels.clone(), joins };
    services.decide(&caller.app, rule).await?;
    found(services, caller, &channels).await
}

async fn found(services: &Services, caller: &UserCaller, asked: &[RoomRef]) -> Answer {
    let mut rooms = services.store().rooms(caller.app.id, asked).await?;
    // Hide the existence of other kinds of rooms with this unique id.
    rooms.retain(|room| room.kind == RoomKind::Public);
    shown(services, caller, &rooms).await
}

async fn shown(services: &Services, caller: &UserCaller, channels: &[Room]) -> Answer {
    let is_in = |room: &Room| services.store().is_participant(room.id, caller.user.key);
    let are_in = try_join_all(channels.iter().map(is_in)).await?;
    ok(channel_list(channels.iter().zip(are_in)))
}
