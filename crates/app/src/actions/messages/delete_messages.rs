//! Deletes a user's own messages.

use std::sync::Arc;

use confab_domain::decision::principal::Principal;
use confab_domain::messages::deleting::DeleteOwnMessages;
use confab_domain::messages::finding::FindMessages;
use confab_domain::messages::message::Message;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::Room;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Deletes a user's own messages: all or none.
pub async fn delete_own_messages(
    decisions: &Decisions,
    by: &Principal,
    user: UserRef,
    ids: Vec<UniqueId>,
    is_hard: bool,
) -> Result<Vec<(Message, Arc<Room>)>, WriteError> {
    // Find the rooms first, because the rule must lock them. A message never changes its room.
    let found = decisions.decide(by, FindMessages { ids: ids.clone() }).await?;
    let mut rooms: Vec<_> = found.iter().map(|posted| posted.message.room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    decisions.decide(by, DeleteOwnMessages { rooms, ids, by: user, is_hard }).await
}
