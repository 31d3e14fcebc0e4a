//! Logs a user out, on all their devices (D-0044).

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::resetting_tokens::LogOut;
use confab_domain::people::user::User;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// Their token stops working, and nothing is pushed to their devices any more.
pub(crate) async fn log_out(
    services: &Services,
    app: &Arc<App>,
    user: &User,
) -> Result<(), WriteError> {
    services.decide(app, LogOut { user: user.itself(), token: ids::secret() }).await
}
