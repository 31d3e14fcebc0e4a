//! Assigns an agent to a customer's room.

use confab_domain::service::allocating;
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::WriteError;
use confab_wire::omnichannel_api::service::requests::AssignAgent;

use super::say::say;
use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Who serves now, too.
pub(crate) async fn assign_agent(
    services: &Services,
    desk: &OwnedDesk,
    asked: AssignAgent,
) -> Result<AgentProfile, WriteError> {
    let AssignAgent { room, agent, wish } = asked;
    let agents: Vec<_> = [agent].into_iter().chain(wish.asked_by).collect();
    let (question, its) = (allocating::question(&desk.desk(), room, &agents), desk.clone());
    let served = say(services, desk.app(), question, move |facts, stamp| {
        allocating::assign(&its.desk(), facts, room, agent, wish, stamp)
    })
    .await?;
    Ok(served)
}
