//! Somebody does not want to hear from somebody, or does again (D-0045).

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::ids::UserKey;
use confab_domain::people::blocking;
use confab_domain::people::user::{User, UserId};
use confab_store::WriteError;

use crate::services::Services;

/// Who is blocked now.
pub(crate) async fn block_user(
    services: &Services,
    app: &App,
    user: UserKey,
    other: UserId,
) -> Result<Arc<User>, WriteError> {
    let before = services.store().blocked(user, 0, 1).await?.total;
    let before = usize::try_from(before).unwrap_or(usize::MAX);
    services
        .store()
        .decide(app.id, blocking::question(&other), move |facts, stamp| {
            blocking::block(facts, user, &other, before, stamp)
        })
        .await
}

/// Who is not blocked any more.
pub(crate) async fn unblock_user(
    services: &Services,
    app: &App,
    user: UserKey,
    other: UserId,
) -> Result<Arc<User>, WriteError> {
    services
        .store()
        .decide(app.id, blocking::question(&other), move |facts, _| {
            blocking::unblock(facts, user, &other)
        })
        .await
}
