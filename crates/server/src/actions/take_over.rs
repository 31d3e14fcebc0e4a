//! An agent takes a customer whom nobody serves.

use confab_domain::ids::{AgentId, RoomId};
use confab_domain::service::allocating;
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::WriteError;

use super::say::say;
use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Who serves now.
pub(crate) async fn take_over(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    agent: AgentId,
) -> Result<AgentProfile, WriteError> {
    let (question, its) = (allocating::question(&desk.desk(), room, &[agent]), desk.clone());
    let served = say(services, desk.app(), question, move |facts, stamp| {
        allocating::take_over(&its.desk(), facts, room, agent, stamp)
    })
    .await?;
    Ok(served)
}
