//! Tokens of users that stop working: for a new one, or because the user logs out.

use crate::app::App;
use crate::decision::change::UserChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::UserKey;
use crate::people::registering::question;
use crate::people::user::UserRef;
use crate::refusal::Refusal;

/// Gives the user a new token; the old one stops working. No `Debug`: it is a secret.
pub struct ResetToken {
    pub user: UserRef,
    pub token: String,
}

impl Rule for ResetToken {
    type Outcome = String;

    fn question(&self, _: &App) -> Question {
        question(std::slice::from_ref(self.user.user_id()))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let user = token_owner(facts, &self.user, context.app.system_user)?;
        let set = UserChange::SetToken { user, token: self.token.clone() };
        Ok(Decision::new(vec![set.into()], self.token.clone()))
    }
}

/// Logs a user out on all their devices: the token stops working, and nothing is pushed to them
/// any more (D-0044).
pub struct LogOut {
    pub user: UserRef,
    /// What takes the old token's place; nobody is told of it.
    pub token: String,
}

impl Rule for LogOut {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question(std::slice::from_ref(self.user.user_id()))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let user = token_owner(facts, &self.user, context.app.system_user)?;
        let set = UserChange::SetToken { user, token: self.token.clone() };
        Ok(Decision::new(vec![set.into(), UserChange::RemoveDevices { user }.into()], ()))
    }
}

/// Whose token may be replaced: anybody's but the System user's.
fn token_owner(facts: &Facts, user: &UserRef, system_user: UserKey) -> Result<UserKey, Refusal> {
    let found = facts.user(user)?;
    match found.key == system_user {
        true => Err(Refusal::SystemUser(user.as_str().to_owned())),
        false => Ok(found.key),
    }
}
