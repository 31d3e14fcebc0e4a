//! Signs somebody out, and tells outsiders.

use std::sync::Arc;

use confab_domain::agents::signing_in;
use confab_domain::app::App;
use confab_domain::ids::AgentId;
use confab_store::WriteError;

use super::desk::OwnedDesk;
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
    let desk = OwnedDesk::new(services, app, depth_before);
    let (its_desk, new_sdk_key) = (desk.clone(), ids::secret());
    let question = signing_in::question(user);
    services
        .decide_by(desk.desk(), question, move |_, facts, stamp| {
            signing_in::sign_out(facts, its_desk.desk(), user, &token_hash, &new_sdk_key, stamp)
        })
        .await?;
    Ok(())
}
