//! Posts messages for users.

use confab_domain::decision::principal::Principal;
use confab_domain::messages::message::{Draft, PostedMessage};
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::receiving::ReceiveMessage;
use confab_domain::support::conversations::speaking::{PostAsAgent, PostMessage, PostOutcome};
use confab_domain::webhooks::event::MessageSource;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Stores the message at the end of its room. Posting a unique id again returns the first message.
///
/// A customer's message in their room starts sessions and creates webhooks (D-0008). `PostMessage`
/// therefore stores nothing if it finds that the sender is a customer, and a second decision
/// receives the message. A staff member's message to a customer is posted by a second decision too,
/// which counts it for analytics (D-0140).
pub async fn post_message(
    decisions: &Decisions,
    by: &Principal,
    room: RoomRef,
    draft: Draft,
    message_source: MessageSource,
    depth_before: u32,
) -> Result<PostedMessage, WriteError> {
    let post = PostMessage { room, draft: draft.clone(), message_source };
    let room = match decisions.decide_after(depth_before, by, post).await? {
        PostOutcome::Stored(posted) => return Ok(*posted),
        PostOutcome::ByCustomer(room) => room,
        PostOutcome::ByAgent(room) => {
            let post = PostMessage { room: RoomRef::Id(room), draft, message_source };
            return decisions.decide_after(depth_before, by, PostAsAgent { post, room }).await;
        }
    };
    let receive = ReceiveMessage { room, draft, message_source };
    Ok(decisions.decide_after(depth_before, by, receive).await?.posted)
}
