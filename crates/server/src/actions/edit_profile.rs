//! Changes a profile as its user wants it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::registering::{EditProfile, ProfileEdit};
use confab_domain::people::user::{User, UserRef};
use confab_store::WriteError;

use crate::services::Services;

/// The user as they are now.
pub(crate) async fn edit_profile(
    services: &Services,
    app: &Arc<App>,
    user: UserRef,
    edit: ProfileEdit,
) -> Result<Arc<User>, WriteError> {
    services.decide(app, EditProfile { user, edit }).await
}
