//! Deletes agents.

use confab_domain::agents::agent::Person;
use confab_domain::agents::staffing::DeleteAgent;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::support::assignment::allocating::RemoveAgent;
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Deletes the account, then removes the agent from their rooms one by one.
pub async fn delete_agent(
    decisions: &Decisions,
    by: &Principal,
    user: AgentId,
    depth_before: u32,
) -> Result<(), WriteError> {
    let own = by.right().map(|it| it.user);
    let rule = DeleteAgent { user, by: own, new_sdk_key: ids::secret() };
    decisions.decide(by, rule).await?;
    let app = &by.app;
    let person = match own {
        Some(own) => decisions.store().agent_name(app.id, own).await?.map(|name| (own, name)),
        None => None,
    };
    let person = person.map(|(id, name)| Person { id, name });
    // The deletion must be completed even if the right of the caller ends now.
    leave_rooms(decisions, &Principal::server(app), user, person, depth_before).await
}

/// Removes a deleted agent from their rooms. If it is interrupted, the allocation task removes them
/// from the remaining rooms.
async fn leave_rooms(
    decisions: &Decisions,
    server: &Principal,
    user: AgentId,
    by: Option<Person>,
    depth_before: u32,
) -> Result<(), WriteError> {
    let rooms = decisions.store().rooms_of_agent(user, limits::LEFT_ROOMS_MAX).await?;
    for room in rooms {
        let rule = RemoveAgent { room, agent: user, by: by.clone() };
        match decisions.decide_after(depth_before, server, rule).await {
            Ok(()) => {}
            // The agent was removed from the room in the meantime.
            Err(WriteError::Refused(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}
