//! A customer writes through a channel.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::service::initiating::{self, New, Visitor};
use confab_domain::service::receiving::{self, Received};
use confab_domain::webhooks::notice::Door;
use confab_store::WriteError;

use super::desk::OwnedDesk;
use super::say::say;
use crate::ids;
use crate::services::Services;

/// The customer has a room, and the message is in it. A room that is left behind between the two
/// is not written in: then the customer is greeted anew.
pub(crate) async fn receive_from_channel(
    services: &Services,
    app: &Arc<App>,
    channel: &Channel,
    visitor: Visitor,
    draft: Draft,
    depth_before: u32,
) -> Result<Received, WriteError> {
    let desk = OwnedDesk::new(services, app, depth_before);
    for _ in 1..limits::ROOM_TRIES_MAX {
        let room = greet(services, &desk, channel, &visitor).await?;
        if let Some(received) = receive(services, &desk, room, &draft, false).await? {
            return Ok(received);
        }
    }
    let room = greet(services, &desk, channel, &visitor).await?;
    let received = receive(services, &desk, room, &draft, true).await?;
    Ok(received.expect("the last try takes the room as it is"))
}

async fn greet(
    services: &Services,
    desk: &OwnedDesk,
    channel: &Channel,
    visitor: &Visitor,
) -> Result<RoomId, WriteError> {
    let question = initiating::question(channel, visitor, None);
    let (channel, visitor, its_desk) = (channel.clone(), visitor.clone(), desk.clone());
    let new = New { token: ids::secret(), unique_id: ids::room_unique_id() };
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        initiating::greet(&its_desk.desk(), facts, &channel, &visitor, &new, stamp)
    };
    let greeted = say(services, desk.app(), question, rule).await?;
    Ok(greeted.customer_room.room)
}

/// Nothing if the room was left behind meanwhile.
async fn receive(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    draft: &Draft,
    takes_any: bool,
) -> Result<Option<Received>, WriteError> {
    let question = receiving::question(&desk.desk(), room, draft);
    let (its_desk, draft) = (desk.clone(), draft.clone());
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        let known = facts.service(room).map(|service| &service.customer_room);
        let is_left = known.is_some_and(|it| initiating::is_left_behind(it, &facts.omni.settings));
        if is_left && !takes_any {
            return Ok(Decision::nothing(None));
        }
        let received =
            receiving::receive(&its_desk.desk(), facts, room, &draft, Door::Client, stamp)?;
        Ok(Decision::new(received.changes, Some(received.outcome)))
    };
    let received = say(services, desk.app(), question, rule).await?;
    Ok(received.map(|received| received))
}
