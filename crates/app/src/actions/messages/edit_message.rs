//! Edits messages.

use confab_domain::decision::principal::Principal;
use confab_domain::ids::UserKey;
use confab_domain::messages::editing::EditMessage;
use confab_domain::messages::finding::FindMessages;
use confab_domain::messages::message::{Draft, Message, PostedMessage};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Replaces the content of a message by the result of `draft`, which gets the current message
/// because the new content must match its type. The type never changes, so the message is read
/// before its room is locked.
pub async fn edit_message(
    decisions: &Decisions,
    by: &Principal,
    user: UserKey,
    id: UniqueId,
    draft: impl FnOnce(&Message) -> Result<Draft, Refusal>,
) -> Result<PostedMessage, WriteError> {
    let found = decisions.decide(by, FindMessages { ids: vec![id.clone()] }).await?.pop();
    let found = found.filter(|posted| !posted.message.is_deleted);
    let unknown = || Refusal::MessageNotFound(id.to_string());
    let PostedMessage { message, sender } = found.ok_or_else(unknown)?;
    // A problem with the draft reveals the type of the message, so only its sender may see it.
    let draft = draft(&message);
    let draft = draft.map_err(|wrong| if sender.key == user { wrong } else { unknown() })?;
    let room = message.room;
    decisions.decide(by, EditMessage { room, message: id, draft }).await
}
