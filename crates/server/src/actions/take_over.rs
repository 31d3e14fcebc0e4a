//! An agent takes a customer whom nobody serves.

use confab_domain::ids::{AgentId, RoomId};
use confab_domain::service::allocating::TakeOver;
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Who serves now.
pub(crate) async fn take_over(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    agent: AgentId,
) -> Result<AgentProfile, WriteError> {
    desk.decide(services, TakeOver { room, agent }).await
}
