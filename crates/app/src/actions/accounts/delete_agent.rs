//! Deletes agents.

use std::sync::Arc;

use confab_domain::agents::agent::Person;
use confab_domain::agents::right::Right;
use confab_domain::agents::staffing::DeleteAgent;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::support::assignment::allocating::RemoveAgent;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// Deletes the account, then removes the agent from their rooms one by one. `by` is the agent who
/// deletes it, or `None` if the app does.
pub async fn delete_agent(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    user: AgentId,
    depth_before: u32,
) -> Result<(), WriteError> {
    let own = by.as_ref().map(|it| it.user);
    let rule = DeleteAgent { user, by: own, new_sdk_key: ids::secret() };
    services.decide(app, rule.on_right(by)).await?;
    let by = match own {
        Some(own) => services.store().agent_name(app.id, own).await?.map(|name| (own, name)),
        None => None,
    };
    let by = by.map(|(id, name)| Person { id, name });
    leave_rooms(services, app, user, by, depth_before).await
}

/// Removes a deleted agent from their rooms. If it is interrupted, the allocation task removes them
/// from the remaining rooms.
async fn leave_rooms(
    services: &Services,
    app: &Arc<App>,
    user: AgentId,
    by: Option<Person>,
    depth_before: u32,
) -> Result<(), WriteError> {
    let rooms = services.store().rooms_of_agent(user, limits::LEFT_ROOMS_MAX).await?;
    for room in rooms {
        let rule = RemoveAgent { room, agent: user, by: by.clone() };
        match services.decide_after(depth_before, app, rule).await {
            Ok(()) => {}
            // The agent was removed from the room in the meantime.
            Err(WriteError::Refused(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}
