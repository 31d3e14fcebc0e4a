//! Somebody takes customers, or does not.

use confab_domain::app::App;
use confab_domain::decision::{Facts, Stamp};
use confab_domain::ids::DashboardUserId;
use confab_domain::staffing;
use confab_store::WriteError;

use crate::services::Services;

/// As the dashboard user says themselves.
pub(crate) async fn set_available(
    services: &Services,
    app: &App,
    user: DashboardUserId,
    is_available: bool,
) -> Result<(), WriteError> {
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        staffing::set_available(facts, user, is_available, stamp)
    };
    services.store().decide(app.id, staffing::question(user), rule).await?;
    services.wake_allocation(app.id);
    Ok(())
}

/// As an admin says.
pub(crate) async fn force_offline(
    services: &Services,
    app: &App,
    user: DashboardUserId,
    is_forced: bool,
) -> Result<(), WriteError> {
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        staffing::force_offline(facts, user, is_forced, stamp)
    };
    services.store().decide(app.id, staffing::question(user), rule).await?;
    Ok(())
}
