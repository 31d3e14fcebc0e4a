//! Logs a user out, on all their devices (D-0044).

use confab_domain::app::App;
use confab_domain::decision::change::UserChange;
use confab_domain::people::registering;
use confab_domain::people::user::User;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// Their token stops working, and nothing is pushed to their devices any more.
pub(crate) async fn log_out(services: &Services, app: &App, user: &User) -> Result<(), WriteError> {
    let (token, system_user) = (ids::secret(), app.system_user);
    let (key, user) = (user.key, user.itself());
    let question = registering::question(std::slice::from_ref(user.user_id()));
    services
        .store()
        .decide(app.id, question, move |facts, _| {
            let mut decision = registering::reset_token(facts, &user, &token, system_user)?;
            decision.changes.push(UserChange::RemoveDevices { user: key }.into());
            Ok(decision)
        })
        .await
}
