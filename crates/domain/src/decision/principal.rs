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
