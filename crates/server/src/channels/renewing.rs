//! Tokens of an Instagram login live for 60 days, and are renewed long before (D-0148).
//!
//! One node does it: the one that tends the channel. What could not be renewed is shown in the
//! channel's health while the old token still works.

use std::time::Duration;

use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::receiving_events::RecordAccountHint;
use confab_domain::channels::renewing::RenewToken;
use confab_domain::time::Timestamp;
use confab_wire::channels::{Provider, Verdict, messenger, verdict};
use confab_wire::omnichannel_api::channels::instagram::TOKEN_ENDS_AT;
use confab_wire::time::to_the_second;

use super::calling::StepAnswer;
use super::linked::LinkedChannel;
use crate::clock;
use crate::failures::chain;
use crate::services::Services;

const RENEW_TIMEOUT: Duration = Duration::from_secs(10);
const HOUR_US: i64 = 3_600 * 1_000_000;
const DAY_US: i64 = 24 * HOUR_US;

/// Instagram renews no token that is younger.
const YOUNGEST_US: i64 = DAY_US;
/// A token that is good for longer needs nothing: about every ten days one is renewed.
const LONG_ENOUGH_US: i64 = 50 * DAY_US;
/// How soon it is tried again after Instagram refused, unless somebody asks for it.
const AGAIN_US: i64 = HOUR_US;

/// When the token became what it is, when a renewal was last refused, and why.
const TOKEN_SET_AT: &str = "token_set_at";
const TOKEN_TRIED_AT: &str = "token_tried_at";
const TOKEN_NOTE: &str = "token_note";
const ACCESS_TOKEN: &str = "access_token";

/// What became of a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Renewal {
    /// There is nothing to do.
    Good,
    /// The channel has another one from now on.
    Renewed,
    /// Instagram refuses to renew it: why, in plain words.
    Failing(String),
}

/// The token of an account is a new one: nothing is known of it yet.
pub(crate) fn begin(account: &mut ProviderAccount) {
    let now = clock::now().0.to_string();
    for (name, value) in
        [(TOKEN_SET_AT, now.as_str()), (TOKEN_ENDS_AT, ""), (TOKEN_TRIED_AT, ""), (TOKEN_NOTE, "")]
    {
        account.settings.insert(name.to_owned(), value.to_owned());
    }
}

fn time(account: &ProviderAccount, name: &str) -> Option<i64> {
    account.setting(name).parse().ok()
}

/// Whether the token should be renewed now.
fn is_due(account: &ProviderAccount, now: Timestamp, is_asked: bool) -> bool {
    let is_old = time(account, TOKEN_SET_AT).is_none_or(|at| now.0 - at >= YOUNGEST_US);
    let ends_soon = time(account, TOKEN_ENDS_AT).is_none_or(|at| at - now.0 < LONG_ENOUGH_US);
    let tried = time(account, TOKEN_TRIED_AT).is_some_and(|at| now.0 - at < AGAIN_US);
    is_old && ends_soon && (is_asked || !tried)
}

impl LinkedChannel {
    /// Renews the token if it is time; `is_asked` if somebody waits for it.
    pub(super) async fn renew(&self, services: &Services, is_asked: bool) -> Renewal {
        if self.provider != Provider::Instagram || self.is_printed() {
            return Renewal::Good;
        }
        // What is known may be newer than this channel was read.
        let Ok(account) = services.store().service_account(self.channel.id).await else {
            return Renewal::Good;
        };
        if account.secret(ACCESS_TOKEN) != self.account.secret(ACCESS_TOKEN) {
            return Renewal::Renewed;
        }
        if !is_due(&account, clock::now(), is_asked) {
            return failing(account.setting(TOKEN_NOTE));
        }
        let step = messenger::refresh_token(&self.credentials);
        let answer = StepAnswer::of(&self.call(services, &step, RENEW_TIMEOUT).await);
        // Who does not answer is asked again soon.
        let Some(status) = answer.status else { return failing(account.setting(TOKEN_NOTE)) };
        match messenger::read_refreshed(&answer.body).filter(|_| status == 200) {
            Some((token, seconds)) => self.keep_token(services, token.expose(), seconds).await,
            None => self.note_refusal(services, &account, status, &answer.body).await,
        }
    }

    /// Keeps the newer token, unless somebody gave another one meanwhile.
    async fn keep_token(&self, services: &Services, token: &str, seconds: u64) -> Renewal {
        let (channel, known_at) = (self.channel.id, self.channel.updated_at);
        let mut settings = ProviderAccount::default();
        begin(&mut settings);
        let lasts = i64::try_from(seconds).unwrap_or(0).min(MOST_S).saturating_mul(1_000_000);
        let ends_at = clock::now().0.saturating_add(lasts).to_string();
        settings.settings.insert(TOKEN_ENDS_AT.to_owned(), ends_at);
        settings.secrets.insert(ACCESS_TOKEN.to_owned(), token.to_owned());
        let rule = RenewToken { channel, known_at, account: settings };
        match services.decide(&self.app, rule).await {
            Ok(true) => {
                tracing::info!(channel.id = channel.0, "the token of channel {channel} is renewed");
                Renewal::Renewed
            }
            // The channel is another one now, and is looked at as such.
            Ok(false) => Renewal::Renewed,
            Err(error) => {
                let why = chain(&error);
                tracing::warn!(channel.id = channel.0, "a newer token is not kept: {why}");
                Renewal::Good
            }
        }
    }

    async fn note_refusal(
        &self,
        services: &Services,
        account: &ProviderAccount,
        status: u16,
        body: &[u8],
    ) -> Renewal {
        let said = match verdict(self.provider, status, body) {
            Verdict::BadToken { why, .. } | Verdict::Never { why, .. } => self.masked(&why),
            // Their trouble: it is tried again soon.
            _ => return failing(account.setting(TOKEN_NOTE)),
        };
        let until = match time(account, TOKEN_ENDS_AT).map(Timestamp) {
            Some(at) => format!("It ends at {}", to_the_second(at)),
            None => "It ends within 60 days of its making".to_owned(),
        };
        let why = format!("The token could not be renewed ({said}). {until}: replace it before.");
        let now = clock::now().0.to_string();
        for (name, value) in [(TOKEN_NOTE, &why), (TOKEN_TRIED_AT, &now)] {
            let rule = RecordAccountHint { channel: self.channel.id, name, value: value.clone() };
            // If it cannot be written it is found again at the next look.
            drop(services.decide(&self.app, rule).await);
        }
        Renewal::Failing(why)
    }
}

/// No token is good for longer than this, whatever an answer says.
const MOST_S: i64 = 400 * 24 * 3_600;

fn failing(note: &str) -> Renewal {
    if note.is_empty() { Renewal::Good } else { Renewal::Failing(note.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(pairs: &[(&str, i64)]) -> ProviderAccount {
        let settings = pairs.iter().map(|(name, at)| ((*name).to_owned(), at.to_string()));
        ProviderAccount { settings: settings.collect(), ..ProviderAccount::default() }
    }

    #[test]
    fn a_token_is_renewed_from_its_second_day_on_and_long_before_its_end() {
        let now = Timestamp(100 * DAY_US);
        let due = |pairs: &[(&str, i64)]| is_due(&account(pairs), now, false);
        assert!(!due(&[(TOKEN_SET_AT, now.0 - DAY_US + 1)]), "too young");
        assert!(due(&[(TOKEN_SET_AT, now.0 - DAY_US)]), "nobody knows when it ends");
        let old = (TOKEN_SET_AT, now.0 - 5 * DAY_US);
        assert!(!due(&[old, (TOKEN_ENDS_AT, now.0 + 55 * DAY_US)]));
        assert!(due(&[old, (TOKEN_ENDS_AT, now.0 + 49 * DAY_US)]));
        assert!(due(&[old, (TOKEN_ENDS_AT, now.0 - 1)]), "it may be good all the same");
    }

    #[test]
    fn what_was_refused_is_tried_every_hour_or_when_somebody_asks() {
        let now = Timestamp(100 * DAY_US);
        let refused = account(&[(TOKEN_SET_AT, 0), (TOKEN_TRIED_AT, now.0 - HOUR_US + 1)]);
        assert!(!is_due(&refused, now, false));
        assert!(is_due(&refused, now, true));
        assert!(is_due(&refused, Timestamp(now.0 + 1), false));
    }
}
