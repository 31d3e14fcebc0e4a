//! Hides messages from a user (design/message-api).

use confab_domain::decision::principal::Principal;
use confab_domain::messages::finding::FindMessages;
use confab_domain::messages::hiding::{HiddenMessage, HideMessages};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::User;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Hides messages from a user: all of them or none.
pub async fn hide_messages(
    decisions: &Decisions,
    by: &Principal,
    user: &User,
    ids: Vec<UniqueId>,
) -> Result<Vec<HiddenMessage>, WriteError> {
    // Find the rooms first, because the rule must lock them. A message never changes its room.
    let found = decisions.decide(by, FindMessages { ids: ids.clone() }).await?;
    let mut rooms: Vec<_> = found.iter().map(|posted| posted.message.room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    let mut hidden_before = 0;
    for room in &rooms {
        let hidden = decisions.store().hidden_numbers(*room, user.key).await?.len();
        hidden_before = hidden_before.max(hidden);
    }
    let rule = HideMessages { rooms, ids, by: user.itself(), hidden_before };
    decisions.decide(by, rule).await
}
