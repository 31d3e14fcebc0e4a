//! Users that are hidden from another user: staff and customers with whom that user shares no room
//! (D-0071), and from a customer all users with whom the customer shares none (D-0071).

use confab_domain::ids::UserKey;
use confab_domain::people::user::{Realm, User, UserId};
use confab_store::StoreError;

use crate::services::Services;

/// Filters the users in `meant` that `user` may see, according to one of the two settings about
/// staff and customers. Staff see all users; the settings do not apply to customers.
pub(crate) async fn only_shown(
    services: &Services,
    user: &User,
    mut meant: Vec<(UserKey, UserId)>,
    setting: &str,
) -> Result<Vec<(UserKey, UserId)>, StoreError> {
    if meant.is_empty() || user.user_id.is_reserved() {
        return Ok(meant);
    }
    let is_own = user.realm == Realm::App;
    if is_own && services.store().settings(user.app).await?.is_for_all(setting) {
        return Ok(meant);
    }
    let keys: Vec<_> = meant.iter().map(|(key, _)| *key).collect();
    let hidden = services.store().hidden_from(user, &keys).await?;
    meant.retain(|(key, _)| !hidden.contains(key));
    Ok(meant)
}
