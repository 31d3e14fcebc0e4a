//! Takes an agent out of a customer's room.

use confab_domain::ids::{AgentId, RoomId};
use confab_domain::service::allocating;
use confab_store::WriteError;

use super::say::say;
use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Because somebody asks for it.
pub(crate) async fn remove_agent(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    agent: AgentId,
) -> Result<(), WriteError> {
    let (question, its) = (allocating::question(&desk.desk(), room, &[]), desk.clone());
    let _served = say(services, desk.app(), question, move |facts, stamp| {
        allocating::remove(&its.desk(), facts, room, agent, stamp)
    })
    .await?;
    Ok(())
}

/// Because the agent is away for too long, unless they came back.
pub(crate) async fn remove_away_agent(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    agent: AgentId,
) -> Result<(), WriteError> {
    let (question, its) = (allocating::question(&desk.desk(), room, &[agent]), desk.clone());
    let _served = say(services, desk.app(), question, move |facts, stamp| {
        allocating::remove_away(&its.desk(), facts, room, agent, stamp)
    })
    .await?;
    Ok(())
}
