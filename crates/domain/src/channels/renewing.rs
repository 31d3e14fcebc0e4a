//! Renewing: the same account is opened by a newer token, which its service gave for the old one
//! (D-0148).

use crate::app::App;
use crate::channels::connecting_services::account_changes;
use crate::channels::service_account::ServiceAccount;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::ChannelId;
use crate::refusal::Refusal;

/// What is kept of a renewed token. Nobody changed the channel, so nobody is on record for it. No
/// `Debug`: it holds a secret.
pub struct RenewToken {
    pub channel: ChannelId,
    /// The token, and what is known of it.
    pub account: ServiceAccount,
}

impl Rule for RenewToken {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, _: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        Ok(Decision::new(account_changes(self.channel, &self.account).collect(), ()))
    }
}
