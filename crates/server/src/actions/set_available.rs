//! Somebody takes customers, or does not.

use confab_domain::agents::right::Right;
use confab_domain::agents::staffing;
use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::AgentId;
use confab_store::WriteError;

use crate::services::Services;

/// As the dashboard user says themselves.
pub(crate) async fn set_available(
    services: &Services,
    app: &App,
    by: Right,
    is_available: bool,
) -> Result<(), WriteError> {
    let user = by.user;
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        staffing::set_available(facts, user, is_available, stamp)
    };
    let question = staffing::question(user).on_right(Some(by));
    services.store().decide(app.id, question, rule).await?;
    services.wake_allocation(app.id);
    Ok(())
}

/// As an admin says.
pub(crate) async fn force_offline(
    services: &Services,
    app: &App,
    by: Option<Right>,
    user: AgentId,
    is_forced: bool,
) -> Result<(), WriteError> {
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        staffing::force_offline(facts, user, is_forced, stamp)
    };
    let question = staffing::question(user).on_right(by);
    services.store().decide(app.id, question, rule).await?;
    Ok(())
}
