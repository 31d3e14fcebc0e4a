//! Interprets the responses of Meta's Send API.

use serde_json::Value;

use crate::health::{AccountAtProvider, ChannelHealth, CheckAnswer, HealthState};
use crate::json_lookup;
use crate::meta::{self, MetaError};
use crate::provider::Provider;
use crate::provider_event::CustomerProfile;
use crate::verdict::Verdict;

/// Subcodes of error 10 that mean that the 24-hour messaging window of Messenger or Instagram is
/// closed.
const WINDOW_CLOSED: [i64; 2] = [2_018_278, 2_534_022];
/// Subcode of error 10 for a page that is temporarily not allowed to send messages.
const RESTRICTED: i64 = 1_893_063;

pub fn verdict(status: u16, body: &[u8]) -> Verdict {
    let answer = json_lookup::parsed(body).unwrap_or(Value::Null);
    if let Some(error) = meta::error(&answer) {
        return refused(status, error);
    }
    let is_known = ["message_id", "recipient_id", "attachment_id", "id", "success"];
    let is_known = is_known.iter().any(|key| !answer[*key].is_null());
    match status {
        200..300 if is_known => Verdict::sent(json_lookup::text(&answer["message_id"])),
        200..300 | 504 => Verdict::Uncertain,
        // The response is from a proxy between us and Meta.
        _ => Verdict::trouble(),
    }
}

fn refused(status: u16, error: MetaError) -> Verdict {
    let MetaError { code, subcode, why, is_transient } = error;
    let stopped = |health| {
        let why = format!("Meta does not allow the page to send: {why}");
        Verdict::BadToken { health, code: code.to_string(), why }
    };
    match code {
        10 if WINDOW_CLOSED.contains(&subcode) => Verdict::WindowClosed,
        10 if subcode == RESTRICTED => stopped(HealthState::Limited),
        0 | 102 | 190 | 463 | 467 => {
            Verdict::bad_token(code, format!("Meta rejects the token: {why}"))
        }
        3 | 10 | 200..=299 => stopped(HealthState::Misconfigured),
        368 => stopped(HealthState::Limited),
        1 | 2 | 4 | 17 | 32 | 613 | 1200 | 80_001 | 80_002 | 80_006 => Verdict::trouble(),
        551 => Verdict::never(code, "The customer cannot be reached now."),
        _ if is_transient || status >= 500 => Verdict::trouble(),
        _ => Verdict::never(code, format!("Meta refused the message: {why}")),
    }
}

/// Parses the profile of a customer; `None` if it contains no name.
pub fn read_profile(body: &[u8]) -> Option<CustomerProfile> {
    let profile = json_lookup::parsed(body).ok()?;
    let whole = json_lookup::name(&profile["name"]);
    let names = ["first_name", "last_name"].map(|key| json_lookup::name(&profile[key]));
    let joined = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let joined = Some(joined).filter(|name| !name.is_empty());
    let name = whole.or(joined).or_else(|| json_lookup::name(&profile["username"]))?;
    Some(CustomerProfile { name, picture_url: json_lookup::text(&profile["profile_pic"]) })
}

/// Determines a channel's health from the responses about the Facebook page or Instagram account,
/// and about the apps subscribed to it.
pub fn health(provider: Provider, answers: &[CheckAnswer<'_>]) -> ChannelHealth {
    let what = if provider == Provider::Instagram { "account" } else { "page" };
    let Some((page, status)) = answers.first().and_then(|it| Some((it, it.status?))) else {
        return ChannelHealth::unreachable("Meta");
    };
    match verdict(status, page.body) {
        Verdict::Sent { .. } => {}
        Verdict::BadToken { health: HealthState::Unauthorized, .. } => {
            return ChannelHealth::unauthorized("Meta");
        }
        Verdict::BadToken { health, why, .. } => {
            return ChannelHealth::is(
                health,
                why,
                &format!("Check the {what} and its app at Meta."),
            );
        }
        Verdict::Never { why, .. } => {
            let todo = format!("Use a token that belongs to the {what}.");
            return ChannelHealth::is(HealthState::Misconfigured, why, &todo);
        }
        _ => return ChannelHealth::unreachable("Meta"),
    }
    let page = json_lookup::parsed(page.body).unwrap_or(Value::Null);
    let apps = answers.get(1).filter(|it| it.status == Some(200));
    let apps = apps.and_then(|it| json_lookup::parsed(it.body).ok()).unwrap_or(Value::Null);
    let is_subscribed = |app: &Value| {
        let fields = json_lookup::list(&app["subscribed_fields"]);
        fields.is_empty() || fields.iter().any(|it| it == "messages")
    };
    let is_alone = apps["data"].as_array().is_some_and(|all| !all.iter().any(is_subscribed));
    let health = if is_alone {
        let why = format!("No app is subscribed to the {what}'s messages, so none arrive.");
        let todo = format!(
            "Change any setting of this channel to subscribe the Meta app to the {what}. If \
             that does not help, the token lacks a permission."
        );
        ChannelHealth::is(HealthState::Misconfigured, why, &todo)
    } else {
        ChannelHealth::ok(None)
    };
    health.with_account(account(&page))
}

fn account(page: &Value) -> Option<AccountAtProvider> {
    // A page has no user name, only a name.
    let username = json_lookup::any_text(page, &["username", "name"]).unwrap_or_default();
    let name = json_lookup::name(&page["name"]).unwrap_or_else(|| username.clone());
    let id = json_lookup::any_text(page, &["user_id", "id"])?;
    Some(AccountAtProvider { id, name, username })
}
