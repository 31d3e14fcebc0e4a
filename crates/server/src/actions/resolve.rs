//! Brings the session of a customer's room to its end.

use confab_domain::ids::RoomId;
use confab_domain::service::resolving::{Ending, Resolve};
use confab_domain::webhooks::notice::{AgentProfile, Session};
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// The session as it ended.
pub(crate) async fn resolve(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    by: AgentProfile,
    ending: Ending,
) -> Result<Session, WriteError> {
    desk.decide(services, Resolve { room, by, ending }).await
}
