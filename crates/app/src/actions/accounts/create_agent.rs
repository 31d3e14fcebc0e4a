//! Creates agents.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::HireAgent;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{ChannelId, DivisionId};
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_runtime::ids;

use crate::actions::accounts::register_user::RegisterError;
use crate::credentials::passwords::HashingFor;
use crate::services::Services;

/// A new agent with a password that is not hashed yet. Not `Debug`.
pub struct AgentInput {
    pub email: EmailAddress,
    pub name: String,
    pub role: Role,
    pub avatar_url: Option<String>,
    pub divisions: Option<Vec<DivisionId>>,
    /// Ids of the only channels that the agent serves; empty for all channels.
    pub channels: Vec<ChannelId>,
    /// `None` for an agent who signs in by a link until they set a password.
    pub password: Option<NewPassword>,
    /// Hash of a single-use sign-in code.
    pub code_hash: Option<String>,
}

/// Creates an agent. Returns their record.
pub async fn create_agent(
    services: &Services,
    by: &Principal,
    wanted: AgentInput,
) -> Result<AgentRecord, RegisterError> {
    let command = HashingFor::Command(by.app.id);
    let password_hash = match wanted.password {
        Some(password) => services.hashing().hash(command, password.into_text()).await?,
        // No password matches an empty hash, until the agent sets one.
        None => String::new(),
    };
    let rule = HireAgent {
        email: wanted.email,
        name: wanted.name,
        role: wanted.role,
        avatar_url: wanted.avatar_url,
        divisions: wanted.divisions,
        channels: wanted.channels,
        password_hash,
        sdk_key: ids::secret(),
        code_hash: wanted.code_hash,
    };
    Ok(services.decisions().decide(by, rule).await?)
}
