//! Counts what a request is about to create, unless it already exists (design/sign-in-and-limits).

use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};

use super::problem::Problem;
use crate::peer::Peer;
use crate::services::Services;

/// Counts a message that is not posted by a user's own client, but with the app's secrets, through
/// a channel, or by an agent.
pub(crate) fn count_message(services: &Services, app: AppId, by: &UserRef) -> Result<(), Problem> {
    services.rate_limits().count_post(app, by)?;
    services.quotas().count_message(app, None)?;
    Ok(())
}

/// Counts a room with this unique id, if it does not exist. `by` is the user whose client opens it;
/// `None` for calls with the app's secrets.
pub(crate) async fn count_room(
    services: &Services,
    app: AppId,
    by: Option<UserKey>,
    name: &RoomUniqueId,
) -> Result<(), Problem> {
    let found = services.store().room(app, &RoomRef::Unique(name.clone())).await?;
    if found.is_none() {
        services.quotas().count_room(app, by)?;
    }
    Ok(())
}

/// Counts a user who registers without the app's secrets. Returns whether the user is new.
pub(crate) async fn count_newcomer(
    services: &Services,
    app: AppId,
    user: &UserRef,
    peer: Peer,
) -> Result<bool, Problem> {
    let named = services.store().users_named(app, user.user_id()).await?;
    let is_new = !named.iter().any(|known| user.is(known));
    if is_new {
        services.quotas().count_registration(app, peer)?;
    }
    Ok(is_new)
}
