//! Tags on customers' rooms.

use confab_domain::agents::agent::Agent;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{RoomId, TagId};
use confab_domain::service::tags;
use confab_store::WriteError;

use super::say::say;
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
    let (question, its) = (tags::question(&desk.desk(), room, by.as_ref()), desk.clone());
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        tags::add(&its.desk(), facts, room, &name, by.as_ref(), stamp)
    };
    say(services, desk.app(), question, rule).await
}

/// Takes a tag off a room.
pub(crate) async fn untag_room(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    tag: TagId,
    by: Option<Agent>,
) -> Result<(), WriteError> {
    let (question, its) = (tags::question(&desk.desk(), room, by.as_ref()), desk.clone());
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        tags::remove(&its.desk(), facts, room, tag, by.as_ref(), stamp)
    };
    say(services, desk.app(), question, rule).await
}
