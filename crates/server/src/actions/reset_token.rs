//! Gives a user a new token.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::resetting_tokens::ResetToken;
use confab_domain::people::user::UserRef;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// The new token; the old one stops working.
pub(crate) async fn reset_token(
    services: &Services,
    app: &Arc<App>,
    user: UserRef,
) -> Result<String, WriteError> {
    services.decide(app, ResetToken { user, token: ids::secret() }).await
}
