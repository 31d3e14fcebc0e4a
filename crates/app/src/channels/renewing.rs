//! Renews Instagram tokens, which are valid for 60 days, long before they expire (design/channels).
//!
//! Tokens are renewed by the node that maintains the channel, and when an admin requests a check of
//! the channel. A failed renewal appears in the channel's health while the old token is still
//! valid.

use std::time::Duration;

use confab_delivery::channels::calling::StepAnswer;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::renewing::RenewToken;
use confab_domain::time::Timestamp;
use confab_providers::{Provider, Verdict, messenger, verdict};
use confab_runtime::clock;
use confab_runtime::failures::chain;
use confab_wire::omnichannel_api::channels::instagram::TOKEN_ENDS_AT;
use confab_wire::time::to_the_second;

use super::linked::LinkedChannel;
use crate::decide::Decisions;
use crate::services::Services;

const RENEW_TIMEOUT: Duration = Duration::from_secs(10);
const HOUR_US: i64 = 3_600 * 1_000_000;
const DAY_US: i64 = 24 * HOUR_US;

/// Minimum age in microseconds of a token that Instagram renews.
const YOUNGEST_US: i64 = DAY_US;
/// Remaining validity in microseconds below which a token is renewed. With a validity of 60 days, a
/// token is renewed about every ten days.
const LONG_ENOUGH_US: i64 = 50 * DAY_US;
/// Delay in microseconds until the next automatic attempt after Instagram refused a renewal.
const AGAIN_US: i64 = HOUR_US;

/// Account settings: the time when the token was set, and the time and reason of the last refused
/// renewal.
const TOKEN_SET_AT: &str = "token_set_at";
const TOKEN_TRIED_AT: &str = "token_tried_at";
const TOKEN_NOTE: &str = "token_note";
const ACCESS_TOKEN: &str = "access_token";

/// The result of a renewal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Renewal {
    /// No renewal was needed or possible, and Instagram has not refused one.
    Good,
    /// The channel has a new token.
    Renewed,
    /// Instagram refuses to renew the token, for this reason.
    Failing(String),
}

/// Resets the account settings about renewal when the account gets a new token.
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
    /// Renews the token if it is due. `is_asked` skips the delay after a refused renewal.
    pub(super) async fn renew(&self, services: &Services, is_asked: bool) -> Renewal {
        if self.provider != Provider::Instagram || self.is_printed() {
            return Renewal::Good;
        }
        // Read again, because the account may have changed since the channel was loaded.
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
        let answer = StepAnswer::of(&self.call(&step, RENEW_TIMEOUT).await);
        // Without an answer, the next check tries again.
        let Some(status) = answer.status else { return failing(account.setting(TOKEN_NOTE)) };
        match messenger::read_refreshed(&answer.body).filter(|_| status == 200) {
            Some((token, seconds)) => {
                self.keep_token(services.decisions(), token.expose(), seconds).await
            }
            None => self.note_refusal(services, &account, status, &answer.body).await,
        }
    }

    /// Stores the renewed token, unless the token was replaced in the meantime.
    async fn keep_token(&self, decisions: &Decisions, token: &str, seconds: u64) -> Renewal {
        let (channel, known_at) = (self.channel.id, self.channel.updated_at);
        let mut settings = ProviderAccount::default();
        begin(&mut settings);
        let lasts = i64::try_from(seconds).unwrap_or(0).min(MOST_S).saturating_mul(1_000_000);
        let ends_at = clock::now().0.saturating_add(lasts).to_string();
        settings.settings.insert(TOKEN_ENDS_AT.to_owned(), ends_at);
        settings.secrets.insert(ACCESS_TOKEN.to_owned(), token.to_owned());
        let rule = RenewToken { channel, known_at, account: settings };
        match decisions.decide(&self.principal(), rule).await {
            Ok(true) => {
                tracing::info!(channel.id = channel.0, "channel token renewed");
                Renewal::Renewed
            }
            // The channel has changed, so its task is restarted.
            Ok(false) => Renewal::Renewed,
            Err(error) => {
                tracing::warn!(
                    channel.id = channel.0,
                    error = %chain(&error),
                    "failed to store renewed channel token"
                );
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
        let reason = match verdict(self.provider, status, body) {
            Verdict::BadToken { why, .. } | Verdict::Never { why, .. } => self.masked(&why),
            // A failure at the provider is retried with the next check.
            _ => return failing(account.setting(TOKEN_NOTE)),
        };
        let until = match time(account, TOKEN_ENDS_AT).map(Timestamp) {
            Some(at) => format!("It expires at {}", to_the_second(at)),
            None => "It expires within 60 days of its creation".to_owned(),
        };
        let why =
            format!("The token could not be renewed ({reason}). {until}. Replace it before then.");
        let now = clock::now().0.to_string();
        for (name, value) in [(TOKEN_NOTE, &why), (TOKEN_TRIED_AT, &now)] {
            // If this fails, the next check finds the problem again.
            drop(self.record_hint(services.decisions(), name, value.clone()).await);
        }
        Renewal::Failing(why)
    }
}

/// Maximum stored validity of a token in seconds, even if Instagram grants a longer one.
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
    fn a_token_is_renewed_after_a_day_and_long_before_it_expires() {
        let now = Timestamp(100 * DAY_US);
        let due = |pairs: &[(&str, i64)]| is_due(&account(pairs), now, false);
        assert!(!due(&[(TOKEN_SET_AT, now.0 - DAY_US + 1)]), "the token is too young");
        assert!(due(&[(TOKEN_SET_AT, now.0 - DAY_US)]), "the expiry time is unknown");
        let old = (TOKEN_SET_AT, now.0 - 5 * DAY_US);
        assert!(!due(&[old, (TOKEN_ENDS_AT, now.0 + 55 * DAY_US)]));
        assert!(due(&[old, (TOKEN_ENDS_AT, now.0 + 49 * DAY_US)]));
        assert!(due(&[old, (TOKEN_ENDS_AT, now.0 - 1)]), "the recorded expiry time may be wrong");
    }

    #[test]
    fn a_refused_renewal_is_retried_every_hour_or_on_request() {
        let now = Timestamp(100 * DAY_US);
        let refused = account(&[(TOKEN_SET_AT, 0), (TOKEN_TRIED_AT, now.0 - HOUR_US + 1)]);
        assert!(!is_due(&refused, now, false));
        assert!(is_due(&refused, now, true));
        assert!(is_due(&refused, Timestamp(now.0 + 1), false));
    }
}
