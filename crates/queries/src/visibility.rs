//! Hides users from other users with whom they share no room (D-0071): staff and customers from the
//! app's own users, and all users from customers.

use confab_domain::ids::UserKey;
use confab_domain::people::user::{Realm, User, UserId};
use confab_store::{Store, StoreError};

/// Returns those of the users in `meant` that `user` may see. `setting` is the name of the setting
/// by which the app's own users may see all staff and customers. Staff always see all users, and
/// the setting does not apply to customers.
pub async fn only_shown(
    store: &Store,
    user: &User,
    mut meant: Vec<(UserKey, UserId)>,
    setting: &str,
) -> Result<Vec<(UserKey, UserId)>, StoreError> {
    if meant.is_empty() || user.user_id.is_reserved() {
        return Ok(meant);
    }
    let is_own = user.realm == Realm::App;
    if is_own && store.settings(user.app).await?.is_for_all(setting) {
        return Ok(meant);
    }
    let keys: Vec<_> = meant.iter().map(|(key, _)| *key).collect();
    let hidden = store.hidden_from(user, &keys).await?;
    meant.retain(|(key, _)| !hidden.contains(key));
    Ok(meant)
}
