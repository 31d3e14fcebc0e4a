//! Counts what a request is about to add, unless it is there already (D-0079).

use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};

use super::problem::Problem;
use crate::peer::Peer;
use crate::services::Services;

/// A message that no client of the user's own posts: it comes with the app's secrets, through a
/// channel, or from somebody who works there.
pub(crate) fn count_message(services: &Services, app: AppId, by: &UserRef) -> Result<(), Problem> {
    services.rate_limits().count_post(app, by)?;
    services.quotas().count_message(app, None)?;
    Ok(())
}

/// A room of this name, opened by a user's client or with the app's secrets.
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

/// Somebody who comes by themselves; true if they are new.
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
