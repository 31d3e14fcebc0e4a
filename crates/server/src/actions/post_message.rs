//! Posts a message on behalf of a user.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::messages::message::{Draft, PostedMessage};
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::receiving::ReceiveMessage;
use confab_domain::support::speaking::{PostAsAgent, PostMessage, PostOutcome};
use confab_domain::webhooks::event::MessageSource;
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
    message_source: MessageSource,
    depth_before: u32,
) -> Result<PostedMessage, WriteError> {
    let post = PostMessage { room, draft: draft.clone(), message_source };
    let room = match services.decide_after(depth_before, app, post).await? {
        PostOutcome::Stored(said) => return Ok(*said),
        PostOutcome::ByCustomer(room) => room,
        PostOutcome::ByAgent(room) => {
            let post = PostMessage { room: RoomRef::Id(room), draft, message_source };
            return services.decide_after(depth_before, app, PostAsAgent { post, room }).await;
        }
    };
    let receive = ReceiveMessage { room, draft, message_source };
    Ok(services.decide_after(depth_before, app, receive).await?.said)
}
