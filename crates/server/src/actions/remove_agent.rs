//! Takes an agent out of a customer's room.

use confab_domain::ids::{AgentId, RoomId};
use confab_domain::service::allocating::{RemoveAgent, RemoveAwayAgent};
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Because somebody asks for it.
pub(crate) async fn remove_agent(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    agent: AgentId,
) -> Result<(), WriteError> {
    desk.decide(services, RemoveAgent { room, agent }).await
}

/// Because the agent is away for too long, unless they came back.
pub(crate) async fn remove_away_agent(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    agent: AgentId,
) -> Result<(), WriteError> {
    desk.decide(services, RemoveAwayAgent { room, agent }).await
}
