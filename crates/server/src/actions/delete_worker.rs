//! Somebody does not work in an app any more.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::agents::staffing::DeleteAgent;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::service::allocating;
use confab_store::WriteError;

use super::desk::OwnedDesk;
use super::say::say;
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
    let own = by.as_ref().map(|it| it.user);
    let rule = DeleteAgent { user, by: own, new_sdk_key: ids::secret() };
    services.decide(app, rule.on_right(by)).await?;
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
        let its_desk = desk.clone();
        let question = allocating::question(&desk.desk(), room, &[user]);
        let left = say(services, app, question, move |facts, stamp| {
            allocating::remove(&its_desk.desk(), facts, room, user, stamp)
        });
        match left.await {
            Ok(served) => served,
            // Somebody else took them out of the room meanwhile.
            Err(WriteError::Refused(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}
