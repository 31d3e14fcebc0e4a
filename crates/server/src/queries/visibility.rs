//! Whom somebody is not shown: agents and customers they share no room with (D-0071).

use confab_domain::ids::UserKey;
use confab_domain::people::user::{User, UserId};
use confab_store::StoreError;

use crate::services::Services;

/// Those of `meant` whom `user` is shown, by one of the two settings about agents and customers.
/// Who works in the app is shown everybody.
pub(crate) async fn only_shown(
    services: &Services,
    user: &User,
    mut meant: Vec<(UserKey, UserId)>,
    setting: &str,
) -> Result<Vec<(UserKey, UserId)>, StoreError> {
    if meant.is_empty() || user.user_id.is_reserved() {
        return Ok(meant);
    }
    if services.store().settings(user.app).await?.is_for_all(setting) {
        return Ok(meant);
    }
    let keys: Vec<_> = meant.iter().map(|(key, _)| *key).collect();
    let hidden = services.store().hidden_from(user.app, user.key, &keys).await?;
    meant.retain(|(key, _)| !hidden.contains(key));
    Ok(meant)
}
