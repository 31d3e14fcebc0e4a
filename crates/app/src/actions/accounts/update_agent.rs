//! Changes agents.

use std::sync::Arc;

use confab_domain::agents::password::NewPassword;
use confab_domain::agents::right::Right;
use confab_domain::agents::staffing::{AgentEdit, ChangeAgent};
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::AgentId;

use crate::actions::accounts::register_user::RegisterError;
use crate::credentials::passwords::HashingFor;
use crate::ids;
use crate::services::Services;

/// Changes an agent. A given password replaces the old one and ends all sign-ins. `by` is the agent
/// who makes the change, or `None` if the app does.
pub async fn update_agent(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    user: AgentId,
    mut change: AgentEdit,
    password: Option<NewPassword>,
) -> Result<(), RegisterError> {
    if let Some(password) = password {
        let command = HashingFor::Command(app.id);
        change.password_hash = Some(services.hashing().hash(command, password.into_text()).await?);
    }
    change.new_sdk_key = ids::secret();
    let own = by.as_ref().map(|it| it.user);
    let rule = ChangeAgent { user, by: own, edit: change };
    services.decide(app, rule.on_right(by)).await?;
    Ok(())
}
