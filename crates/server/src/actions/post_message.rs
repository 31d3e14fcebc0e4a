//! Posts a message on behalf of a user.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::messages::message::{Draft, Said};
use confab_domain::rooms::room::RoomRef;
use confab_domain::service::receiving::ReceiveMessage;
use confab_domain::service::speaking::{PostAsAgent, PostMessage, Posted};
use confab_domain::webhooks::notice::Door;
use confab_store::WriteError;

use crate::services::Services;

/// Stores the message at the end of its room. Posting a unique id again gives the first message.
///
/// What a customer says in their room leads to sessions and webhooks (D-0008). Where only the first
/// look finds out that it is a customer who speaks, a second decision receives the message;
/// so it is where somebody who works in the app speaks, and is counted (D-0140).
pub(crate) async fn post_message(
    services: &Services,
    app: &Arc<App>,
    room: RoomRef,
    draft: Draft,
    door: Door,
    depth_before: u32,
) -> Result<Said, WriteError> {
    let post = PostMessage { room, draft: draft.clone(), door };
    let room = match services.decide_after(depth_before, app, post).await? {
        Posted::Stored(said) => return Ok(*said),
        Posted::ByCustomer(room) => room,
        Posted::ByAgent(room) => {
            let post = PostMessage { room: RoomRef::Id(room), draft, door };
            return services.decide_after(depth_before, app, PostAsAgent { post, room }).await;
        }
    };
    let receive = ReceiveMessage { room, draft, door };
    Ok(services.decide_after(depth_before, app, receive).await?.said)
}
