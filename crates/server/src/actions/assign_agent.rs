//! Assigns an agent to a customer's room.

use confab_domain::service::allocating;
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::WriteError;
use confab_wire::omnichannel_api::service::requests::AssignAgent;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Who serves now, too.
pub(crate) async fn assign_agent(
    services: &Services,
    desk: &OwnedDesk,
    asked: AssignAgent,
) -> Result<AgentProfile, WriteError> {
    let AssignAgent { room, agent, wish } = asked;
    desk.decide(services, allocating::AssignAgent { room, agent, wish }).await
}
