//! Changes a profile as its user wants it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::registering::{self, ProfileEdit};
use confab_domain::people::user::{User, UserRef};
use confab_store::WriteError;

use crate::services::Services;

/// The user as they are now.
pub(crate) async fn edit_profile(
    services: &Services,
    app: &App,
    user: UserRef,
    edit: ProfileEdit,
) -> Result<Arc<User>, WriteError> {
    let question = registering::question(std::slice::from_ref(user.user_id()));
    let system_user = app.system_user;
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            registering::edit(facts, &user, &edit, system_user, stamp)
        })
        .await
}
