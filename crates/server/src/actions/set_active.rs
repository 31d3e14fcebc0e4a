//! Deactivates or reactivates users.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::registering::SetActive;
use confab_domain::people::user::UserId;
use confab_store::WriteError;

use crate::services::Services;

/// All of them or none.
pub(crate) async fn set_active(
    services: &Services,
    app: &Arc<App>,
    users: Vec<UserId>,
    is_active: bool,
) -> Result<(), WriteError> {
    services.decide(app, SetActive { users, is_active }).await
}
