//! Somebody does not work in an app any more.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::agents::staffing;
use confab_domain::app::App;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::service::allocating::RemoveAgent;
use confab_store::WriteError;

use super::desk::OwnedDesk;
use crate::ids;
use crate::services::Services;

/// The account is gone at once; then its customers are let go, room by room. `by` is who wants it,
/// nobody if it is the app itself.
pub(crate) async fn delete_worker(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    user: AgentId,
    depth_before: u32,
) -> Result<(), WriteError> {
    let (new_sdk_key, own) = (ids::secret(), by.as_ref().map(|it| it.user));
    let question = staffing::delete_question(user).on_right(by);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            staffing::delete(facts, user, own, &new_sdk_key, stamp)
        })
        .await?;
    leave_rooms(services, app, user, depth_before).await
}

/// What this does not come to, the work for absent agents does.
async fn leave_rooms(
    services: &Services,
    app: &Arc<App>,
    user: AgentId,
    depth_before: u32,
) -> Result<(), WriteError> {
    let desk = OwnedDesk::new(services, app, depth_before);
    let rooms = services.store().rooms_of_agent(user, limits::LEFT_ROOMS_MAX).await?;
    for room in rooms {
        match desk.decide(services, RemoveAgent { room, agent: user }).await {
            Ok(()) => {}
            // Somebody else took them out of the room meanwhile.
            Err(WriteError::Refused(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}
