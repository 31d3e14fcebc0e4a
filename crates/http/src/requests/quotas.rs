//! Counts the messages, rooms and users that a request is about to create against the limits of its
//! app (design/sign-in-and-limits).

use confab_app::services::Services;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};
use confab_runtime::admission::peer::Peer;

use crate::responses::problem::Problem;

/// Counts a message against the rate limit of its sender and the app's daily quota. Not for
/// messages that users post by their own clients.
pub(crate) fn count_message(services: &Services, app: AppId, by: &UserRef) -> Result<(), Problem> {
    services.admission().rate_limits.count_post(app, by)?;
    services.admission().quotas.count_message(app, None)?;
    Ok(())
}

/// Counts a room against the app's quota, unless a room with this unique id exists. `by` is the
/// user whose client opens the room; `None` for requests of the app's servers.
pub(crate) async fn count_room(
    services: &Services,
    app: AppId,
    by: Option<UserKey>,
    name: &RoomUniqueId,
) -> Result<(), Problem> {
    let found = services.store().room(app, &RoomRef::Unique(name.clone())).await?;
    if found.is_none() {
        services.admission().quotas.count_room(app, by)?;
    }
    Ok(())
}

/// Counts the registration of a user by a client against the app's quota, unless the user exists.
/// Returns whether the user is new.
pub(crate) async fn count_newcomer(
    services: &Services,
    app: AppId,
    user: &UserRef,
    peer: Peer,
) -> Result<bool, Problem> {
    let named = services.store().users_named(app, user.user_id()).await?;
    let is_new = !named.iter().any(|known| user.is(known));
    if is_new {
        services.admission().quotas.count_registration(app, peer)?;
    }
    Ok(is_new)
}
