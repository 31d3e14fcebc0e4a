//! Principals: on whose behalf a rule decides. A principal carries the caller's right into the
//! decision, so that no handler can omit its check (D-0067).

use std::sync::Arc;

use crate::agents::right::Right;
use crate::agents::role::Role;
use crate::app::App;
use crate::audit::entry::Actor;
use crate::refusal::Refusal;

/// An app, and the authority with which a rule decides in it.
#[derive(Clone)]
pub struct Principal {
    pub app: Arc<App>,
    authority: Authority,
}

#[derive(Clone)]
enum Authority {
    Server,
    SecretKey,
    Agent(Right),
}

impl Principal {
    /// The server itself: background work, and requests of users and customers, whose permissions
    /// the rules check by their facts.
    pub fn server(app: &Arc<App>) -> Self {
        Self { app: app.clone(), authority: Authority::Server }
    }

    /// The app itself, which may do everything.
    pub fn secret_key(app: &Arc<App>) -> Self {
        Self { app: app.clone(), authority: Authority::SecretKey }
    }

    /// A signed-in agent with this right.
    pub fn agent(app: &Arc<App>, right: Right) -> Self {
        Self { app: app.clone(), authority: Authority::Agent(right) }
    }

    /// Returns the right that the decision requires; `None` if it requires none.
    pub fn right(&self) -> Option<&Right> {
        match &self.authority {
            Authority::Agent(right) => Some(right),
            Authority::Server | Authority::SecretKey => None,
        }
    }

    /// Returns the originator of the changes, for the audit log.
    pub fn actor(&self) -> Actor {
        match &self.authority {
            Authority::Server => Actor::Server,
            Authority::SecretKey => Actor::SecretKey,
            Authority::Agent(right) => Actor::Person(right.user),
        }
    }

    /// Whether the principal is an agent with one of these roles, or needs no role.
    pub fn has_role(&self, roles: &[Role]) -> bool {
        self.right().is_none_or(|right| roles.contains(&right.role))
    }

    /// Returns the principal for a decision that only these roles permit. Fails if the principal is
    /// an agent with none of them.
    pub fn limited_to(&self, roles: &'static [Role]) -> Result<Self, Refusal> {
        if !self.has_role(roles) {
            return Err(Refusal::WrongRole(roles));
        }
        let mut limited = self.clone();
        if let Authority::Agent(right) = &mut limited.authority {
            right.roles = roles;
        }
        Ok(limited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::ids::AgentId;

    const OFFICE: &[Role] = &[Role::Admin, Role::Supervisor];

    fn agent(role: Role) -> Principal {
        let (user, sign_in) = (AgentId(9), "planted".to_owned());
        let right = Right { user, sign_in, roles: &Role::ALL, role };
        Principal::agent(&Arc::new(example::app()), right)
    }

    #[test]
    fn an_agent_acts_with_their_right_only() {
        let (agent, supervisor) = (agent(Role::Agent), agent(Role::Supervisor));
        assert_eq!(agent.actor(), Actor::Person(AgentId(9)));
        assert!(!agent.has_role(OFFICE));
        assert_eq!(agent.limited_to(OFFICE).err(), Some(Refusal::WrongRole(OFFICE)));
        let limited = supervisor.limited_to(OFFICE).expect("a supervisor is permitted");
        assert_eq!(limited.right().map(|right| right.roles), Some(OFFICE));
    }

    #[test]
    fn the_server_and_the_app_itself_need_no_right() {
        let app = Arc::new(example::app());
        let server = (Principal::server(&app), Actor::Server);
        let itself = (Principal::secret_key(&app), Actor::SecretKey);
        for (principal, actor) in [server, itself] {
            assert_eq!(principal.actor(), actor);
            let limited = principal.limited_to(OFFICE).expect("no role is required");
            assert!(limited.right().is_none());
        }
    }
}
