//! Changes agents.

use confab_domain::agents::password::NewPassword;
use confab_domain::agents::staffing::{AgentEdit, ChangeAgent};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::AgentId;
use confab_runtime::ids;

use crate::actions::accounts::register_user::RegisterError;
use crate::credentials::passwords::HashingFor;
use crate::services::Services;

/// Changes an agent. A given password replaces the old one and ends all sign-ins.
pub async fn update_agent(
    services: &Services,
    by: &Principal,
    user: AgentId,
    mut change: AgentEdit,
    password: Option<NewPassword>,
) -> Result<(), RegisterError> {
    if let Some(password) = password {
        let command = HashingFor::Command(by.app.id);
        change.password_hash = Some(services.hashing().hash(command, password.into_text()).await?);
    }
    change.new_sdk_key = ids::secret();
    let own = by.right().map(|it| it.user);
    let rule = ChangeAgent { user, by: own, edit: change };
    services.decisions().decide(by, rule).await?;
    Ok(())
}
