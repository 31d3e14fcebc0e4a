//! Blocks a user on behalf of another user (design/message-api).

use std::sync::Arc;

use confab_domain::decision::principal::Principal;
use confab_domain::ids::UserKey;
use confab_domain::people::blocking::BlockUser;
use confab_domain::people::user::{User, UserId};
use confab_store::WriteError;

use crate::decide::Decisions;

/// Blocks the user `other` on behalf of `user`. Returns the blocked user.
pub async fn block_user(
    decisions: &Decisions,
    by: &Principal,
    user: UserKey,
    other: UserId,
) -> Result<Arc<User>, WriteError> {
    let before = decisions.store().blocked(user, 0, 1).await?.total;
    let blocked_before = usize::try_from(before).unwrap_or(usize::MAX);
    decisions.decide(by, BlockUser { user, other, blocked_before }).await
}
