//! Gives a user a new token.

use confab_domain::app::App;
use confab_domain::people::registering;
use confab_domain::people::user::UserRef;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// The new token; the old one stops working.
pub(crate) async fn reset_token(
    services: &Services,
    app: &App,
    user: UserRef,
) -> Result<String, WriteError> {
    let (token, system_user) = (ids::secret(), app.system_user);
    let question = registering::question(std::slice::from_ref(user.user_id()));
    let new = token.clone();
    services
        .store()
        .decide(app.id, question, move |facts, _| {
            registering::reset_token(facts, &user, &new, system_user)
        })
        .await?;
    Ok(token)
}
