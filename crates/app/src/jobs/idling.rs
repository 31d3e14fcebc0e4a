//! Resolves conversations without recent messages, in apps that enabled this setting
//! (design/support).

use std::sync::Arc;
use std::time::Duration;

use confab_domain::agents::role::Role;
use confab_domain::decision::principal::Principal;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AppId, RoomId};
use confab_domain::limits;
use confab_domain::support::automation::idling::ResolveIdle;
use confab_domain::time::Timestamp;
use confab_runtime::clock::SystemStamps;
use confab_runtime::failures::chain;
use confab_store::WriteError;

use crate::decide::Decisions;
use crate::services::Services;

/// Interval at which all apps are scanned.
const CHECK_EVERY: Duration = Duration::from_secs(20);

/// Resolves idle conversations until the task is aborted.
pub(crate) async fn keep_ending_idle(services: Services, stamps: Arc<SystemStamps>) {
    let mut every = tokio::time::interval(CHECK_EVERY);
    loop {
        every.tick().await;
        if let Err(error) = end_idle(services.decisions(), stamps.now()).await {
            tracing::warn!(error = %chain(&error), "failed to resolve idle conversations");
        }
    }
}

/// Resolves the conversations that are idle at this time, in all apps that enabled this setting.
pub(crate) async fn end_idle(decisions: &Decisions, now: Timestamp) -> Result<(), WriteError> {
    for app in decisions.store().apps_that_end_idle().await? {
        end_idle_of(decisions, app, now).await?;
    }
    Ok(())
}

async fn end_idle_of(decisions: &Decisions, app: AppId, now: Timestamp) -> Result<(), WriteError> {
    let store = decisions.store();
    let Some(minutes) = store.settings(app).await?.idle_resolve_minutes() else { return Ok(()) };
    let Some(known) = decisions.apps().of_id(app).await? else { return Ok(()) };
    let agents = store.agents(app).await?;
    let admin = agents.into_iter().find(|it| it.profile.user.role == Role::Admin);
    let Some(by) = admin.map(|it| it.profile) else { return Ok(()) };
    let server = Principal::server(&known.app);
    let since = Timestamp(now.0 - i64::from(minutes) * 60_000_000);
    let (mut at, mut looked_at) = ((Timestamp(0), RoomId(0)), 0);
    while looked_at < limits::ROOMS_SCANNED_MAX {
        let rooms = store.idle_rooms(app, since, at, limits::ROOMS_PER_SCAN).await?;
        let Some(last) = rooms.last() else { break };
        at = *last;
        looked_at += rooms.len();
        for (_, room) in rooms {
            let rule = ResolveIdle { room, since, by: by.clone() };
            match decisions.decide(&server, rule).await {
                // A refusal means that the conversation was resolved or changed after it was read.
                Ok(_) | Err(WriteError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
