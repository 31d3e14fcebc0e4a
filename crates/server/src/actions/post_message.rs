//! Posts a message on behalf of a user.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::rule::Decision;
use confab_domain::ids::RoomId;
use confab_domain::messages::message::{Draft, Said};
use confab_domain::messages::posting;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::rooms::visiting;
use confab_domain::service::receiving::{self, Received};
use confab_domain::webhooks::notice::Door;
use confab_store::WriteError;
use confab_wire::complete_payload;

use super::desk::OwnedDesk;
use super::say::say;
use crate::services::Services;

/// What a first look at a message finds.
enum Posted {
    /// It is stored.
    Stored(Box<Said>),
    /// It is a customer's, and more follows from it.
    ByCustomer(RoomId),
}

/// Stores the message at the end of its room. Posting a unique id again gives the first message.
///
/// What a customer says in their room leads to sessions and webhooks (D-0008). That is found out
/// on the way, so that a message in any other room costs nothing more.
pub(crate) async fn post_message(
    services: &Services,
    app: &Arc<App>,
    room: RoomRef,
    draft: Draft,
    door: Door,
    depth_before: u32,
) -> Result<Said, WriteError> {
    let (question, system_user) = (posting::question(&room, &draft), app.system_user);
    let (its_draft, sender) = (draft.clone(), draft.sender.clone());
    let posted = say(services, app, question, move |facts, stamp| {
        if let Some(room) = posting::customers_room(facts, &room, &its_draft) {
            return Ok(Decision::nothing(Posted::ByCustomer(room)));
        }
        let post = match door {
            Door::Client => visiting::post,
            Door::MessageApi => posting::post,
        };
        let posted = post(facts, &room, &its_draft, system_user, stamp, complete_payload)?;
        let outcome = Posted::Stored(Box::new(posted.outcome));
        Ok(Decision::new(posted.changes, outcome))
    })
    .await?;
    let said = match posted {
        Posted::Stored(said) => *said,
        Posted::ByCustomer(room) => {
            let desk = OwnedDesk::new(services, app, depth_before);
            receive(services, &desk, room, draft, door).await?.said
        }
    };
    // Who speaks for themselves is not shown what somebody else posted by the same unique id.
    if door == Door::Client && !sender.is(&said.sender) {
        return Err(Refusal::UniqueIdTaken(said.message.unique_id().to_string()).into());
    }
    Ok(said)
}

async fn receive(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    draft: Draft,
    door: Door,
) -> Result<Received, WriteError> {
    let question = receiving::question(&desk.desk(), room, &draft);
    let its_desk = desk.clone();
    let received = say(services, desk.app(), question, move |facts, stamp| {
        receiving::receive(&its_desk.desk(), facts, room, &draft, door, stamp)
    })
    .await?;
    Ok(received)
}
