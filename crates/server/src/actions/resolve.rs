//! Brings the session of a customer's room to its end.

use confab_domain::ids::RoomId;
use confab_domain::service::resolving::{self, Ending};
use confab_domain::webhooks::notice::{AgentProfile, Session};
use confab_store::WriteError;

use super::say::say;
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
    let question = resolving::question(&desk.desk(), room, &by.user, &ending);
    let its = desk.clone();
    let served = say(services, desk.app(), question, move |facts, stamp| {
        resolving::resolve(&its.desk(), facts, room, &by, &ending, stamp)
    })
    .await?;
    Ok(served)
}
