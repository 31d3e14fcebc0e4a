//! Has somebody work in an app.

use std::sync::Arc;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::HireAgent;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{ChannelId, DivisionId};
use confab_domain::support::customer_room::AgentRecord;

use super::register_user::RegisterError;
use crate::ids;
use crate::passwords::HashingFor;
use crate::services::Services;

/// Somebody who shall work in an app; the password is not hashed yet. No `Debug`.
pub(crate) struct AgentInput {
    pub(crate) email: EmailAddress,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) avatar_url: Option<String>,
    pub(crate) divisions: Option<Vec<DivisionId>>,
    /// The only channels they serve; all if there are none.
    pub(crate) channels: Vec<ChannelId>,
    /// Without one they sign in by a link only, until they set one.
    pub(crate) password: Option<NewPassword>,
    /// The hash of a code that signs them in once.
    pub(crate) code_hash: Option<String>,
}

/// Whoever works in the app from now on.
pub(crate) async fn create_agent(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    wanted: AgentInput,
) -> Result<AgentRecord, RegisterError> {
    let command = HashingFor::Command(app.id);
    let password_hash = match wanted.password {
        Some(password) => services.hashing().hash(command, password.into_text()).await?,
        // No password is right until they set one (D-0112).
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
    Ok(services.decide(app, rule.on_right(by)).await?)
}
