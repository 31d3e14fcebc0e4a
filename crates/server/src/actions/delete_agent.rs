//! Somebody does not work in an app any more.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::agents::staffing::DeleteAgent;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::service::allocating::RemoveAgent;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// The account is gone at once; then its customers are let go, room by room. `by` is who wants it,
/// nobody if it is the app itself.
pub(crate) async fn delete_agent(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    user: AgentId,
    depth_before: u32,
) -> Result<(), WriteError> {
    let own = by.as_ref().map(|it| it.user);
    let rule = DeleteAgent { user, by: own, new_sdk_key: ids::secret() };
    services.decide(app, rule.on_right(by)).await?;
    leave_rooms(services, app, user, depth_before).await
}

/// What this does not come to, the work for absent agents does.
async fn leave_rooms(
    services: &Services,
    app: &Arc<App>,
    user: AgentId,
    depth_before: u32,
) -> Result<(), WriteError> {
    let rooms = services.store().rooms_of_agent(user, limits::LEFT_ROOMS_MAX).await?;
    for room in rooms {
        match services.decide_after(depth_before, app, RemoveAgent { room, agent: user }).await {
            Ok(()) => {}
            // Somebody else took them out of the room meanwhile.
            Err(WriteError::Refused(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}
