//! Where customers write from, and who answers them: one file a route (wire facts 5.3, 5.5).

use confab_domain::ids::{ChannelId, ID_END, RoomId};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;

use crate::http::problem::Problem;
use crate::http::targets;
use crate::services::Services;

pub(in crate::http) mod activate;
pub(in crate::http) mod bot;
pub(in crate::http) mod channels_by_kind;
pub(in crate::http) mod custom_channel;
pub(in crate::http) mod custom_channel_send;
pub(in crate::http) mod custom_channels;
pub(in crate::http) mod get_session;
pub(in crate::http) mod initiate_chat;
pub(in crate::http) mod messages;

/// The integer of a room of the app.
async fn room_id(
    services: &Services,
    app: confab_domain::ids::AppId,
    room: &RoomRef,
) -> Result<RoomId, Problem> {
    let found = services.store().room(app, room).await?;
    Ok(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?.id)
}

/// The room that a path names.
fn room_of_path(text: &str) -> Result<RoomRef, Problem> {
    let unknown = |_| Problem::from(Refusal::RoomNotFound(text.to_owned()));
    RoomRef::parse("room_id", text).map_err(unknown)
}

/// The channel that a path names.
fn channel_of_path(text: &str) -> Result<ChannelId, Problem> {
    let id = text.parse().ok().filter(|id| (1..ID_END).contains(id));
    id.map(ChannelId).ok_or_else(|| Refusal::ChannelNotFound(0).into())
}

/// Refuses an address that cannot be called; an empty one is none.
fn check_webhook_url(services: &Services, url: Option<&str>) -> Result<(), Refusal> {
    let url = url.filter(|url| !url.is_empty());
    url.map_or(Ok(()), |url| targets::check(services, "webhook_url", url))
}
