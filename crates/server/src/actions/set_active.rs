//! Deactivates or reactivates users.

use confab_domain::app::App;
use confab_domain::people::registering;
use confab_domain::people::user::UserId;
use confab_store::WriteError;

use crate::services::Services;

/// All of them or none.
pub(crate) async fn set_active(
    services: &Services,
    app: &App,
    users: Vec<UserId>,
    is_active: bool,
) -> Result<(), WriteError> {
    let (question, system_user) = (registering::question(&users), app.system_user);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            registering::set_active(facts, &users, is_active, system_user, stamp)
        })
        .await
}
