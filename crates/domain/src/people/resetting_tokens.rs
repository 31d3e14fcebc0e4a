//! Rules that replace users' tokens, on request or when a user logs out.

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

/// Replaces a user's token. The previous token stops working. No `Debug`: it holds a token.
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

/// Logs a user out on all their devices: replaces the token, and removes all devices that receive
/// pushes.
pub struct LogOut {
    pub user: UserRef,
    /// New token of the user. No client receives it.
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

/// Returns the user whose token is replaced. Fails for the System user.
fn token_owner(facts: &Facts, user: &UserRef, system_user: UserKey) -> Result<UserKey, Refusal> {
    let found = facts.user(user)?;
    match found.key == system_user {
        true => Err(Refusal::SystemUser(user.as_str().to_owned())),
        false => Ok(found.key),
    }
}
