//! Whom somebody is not shown: agents and customers they share no room with (D-0071).

use confab_domain::people::{User, UserId};
use confab_store::StoreError;

use crate::services::Services;

/// Those of `others` whom `user` is not shown, by one of the two settings about agents and
/// customers. Who works in the app is shown everybody.
pub(crate) async fn hidden_from(
    services: &Services,
    user: &User,
    others: &[UserId],
    setting: &str,
) -> Result<Vec<UserId>, StoreError> {
    if others.is_empty() || user.user_id.is_reserved() {
        return Ok(Vec::new());
    }
    if services.store().settings(user.app).await?.is_for_all(setting) {
        return Ok(Vec::new());
    }
    services.store().hidden_from(user.app, user.key, others).await
}
