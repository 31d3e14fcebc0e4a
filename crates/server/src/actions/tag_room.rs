//! Tags on customers' rooms.

use confab_domain::agents::agent::Agent;
use confab_domain::ids::{RoomId, TagId};
use confab_domain::service::tags::{AddTag, RemoveTag};
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Puts a tag on a room. `by` is nobody if the app asks.
pub(crate) async fn tag_room(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    name: String,
    by: Option<Agent>,
) -> Result<(), WriteError> {
    desk.decide(services, AddTag { room, name, by }).await
}

/// Takes a tag off a room.
pub(crate) async fn untag_room(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    tag: TagId,
    by: Option<Agent>,
) -> Result<(), WriteError> {
    desk.decide(services, RemoveTag { room, tag, by }).await
}
