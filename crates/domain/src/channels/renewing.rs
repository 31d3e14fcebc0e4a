//! The rule that stores a token that the server renewed at the provider (design/channels).

use crate::app::App;
use crate::channels::channel::Channel;
use crate::channels::connecting_providers::{account_changes, found_service, question};
use crate::channels::provider_account::ProviderAccount;
use crate::decision::change::ChannelChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::ChannelId;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Stores a renewed token, unless the channel was changed since the old token was read, for example
/// by a new token. The outcome is whether the token was stored. Adds no audit entry. No `Debug`: it
/// holds a secret.
pub struct RenewToken {
    pub channel: ChannelId,
    /// Time of the channel's last change when the old token was read.
    pub known_at: Timestamp,
    /// The new token and the settings that belong to it.
    pub account: ProviderAccount,
}

impl Rule for RenewToken {
    type Outcome = bool;

    fn question(&self, app: &App) -> Question {
        question(app, None)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<bool>, Refusal> {
        let before = found_service(facts, self.channel)?;
        if before.updated_at != self.known_at {
            return Ok(Decision::nothing(false));
        }
        let renewed = Channel { updated_at: stamp.now, ..before.clone() };
        let mut changes = vec![ChannelChange::Put(renewed).into()];
        changes.extend(account_changes(self.channel, &self.account));
        Ok(Decision::new(changes, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::channel::ChannelKind;
    use crate::example::decided;
    use crate::ids::AppId;

    #[test]
    fn a_token_is_renewed_only_if_the_channel_is_unchanged() {
        let at = Timestamp(5);
        let mut facts = Facts::default();
        facts.omni.channels.push(Channel {
            id: ChannelId(7),
            app: AppId(1),
            kind: ChannelKind::Instagram,
            name: "Shop".to_owned(),
            is_active: true,
            identifier_key: "ig:1".to_owned(),
            webhook_url: None,
            logo_url: None,
            phone: String::new(),
            created_at: at,
            updated_at: at,
            deleted_at: None,
        });
        let rule = |known_at: Timestamp| {
            let mut account = ProviderAccount::default();
            account.secrets.insert("access_token".to_owned(), "newer".to_owned());
            RenewToken { channel: ChannelId(7), known_at, account }
        };
        let Ok(renewed) = decided(&facts, &rule(at)) else { panic!("the token is renewed") };
        assert_eq!((renewed.outcome, renewed.changes.len()), (true, 2));
        let Ok(late) = decided(&facts, &rule(Timestamp(4))) else {
            panic!("the rule does not refuse")
        };
        assert_eq!((late.outcome, late.changes.len()), (false, 0));
    }
}
