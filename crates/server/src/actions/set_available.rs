//! Somebody takes customers, or does not.

use std::sync::Arc;

use confab_domain::agents::availability::{ForceOffline, SetAvailable};
use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::AgentId;
use confab_store::WriteError;

use crate::services::Services;

/// As the dashboard user says themselves.
pub(crate) async fn set_available(
    services: &Services,
    app: &Arc<App>,
    by: Right,
    is_available: bool,
) -> Result<(), WriteError> {
    let rule = SetAvailable { user: by.user, is_available };
    services.decide(app, rule.on_right(Some(by))).await?;
    Ok(())
}

/// As an admin says.
pub(crate) async fn force_offline(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    user: AgentId,
    is_forced: bool,
) -> Result<(), WriteError> {
    services.decide(app, ForceOffline { user, is_forced }.on_right(by)).await?;
    Ok(())
}
