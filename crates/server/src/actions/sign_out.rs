//! Signs somebody out, and tells outsiders.

use std::sync::Arc;

use confab_domain::agents::signing_in::SignOutAgent;
use confab_domain::app::App;
use confab_domain::ids::AgentId;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// The token of this hash is good no more.
pub(crate) async fn sign_out(
    services: &Services,
    app: &Arc<App>,
    user: AgentId,
    token_hash: String,
    depth_before: u32,
) -> Result<(), WriteError> {
    let rule = SignOutAgent { user, token_hash, new_sdk_key: ids::secret() };
    services.decide_after(depth_before, app, rule).await
}
