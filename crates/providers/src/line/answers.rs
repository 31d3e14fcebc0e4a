//! Interprets the responses of LINE's Messaging API.

use serde_json::Value;

use crate::health::{AccountAtProvider, ChannelHealth, CheckAnswer, HealthState};
use crate::json_lookup;
use crate::provider_event::CustomerProfile;
use crate::verdict::{Instead, Pause, QUOTA_SPENT, Verdict};

/// Interprets the response to a message. Status 409 means that LINE has already accepted a request
/// with the same retry key.
pub fn verdict(status: u16, body: &[u8]) -> Verdict {
    let answer = json_lookup::parsed(body).unwrap_or(Value::Null);
    let why = json_lookup::text(&answer["message"]).unwrap_or_default();
    match status {
        200..300 | 409 if answer.is_object() => {
            let sent = json_lookup::list(&answer["sentMessages"]).iter();
            let ids = sent.filter_map(|it| json_lookup::text(&it["id"])).collect();
            Verdict::Sent { ids, also_known_as: Vec::new() }
        }
        200..300 => Verdict::Uncertain,
        409 => Verdict::sent(None),
        // A page of a proxy is not a refusal.
        400..500 if !answer.is_object() => Verdict::trouble(),
        401 => Verdict::bad_token(status, "LINE rejects the token."),
        403 => {
            let health = HealthState::Misconfigured;
            let why = format!("LINE does not allow this account to send: {why}");
            Verdict::BadToken { health, code: status.to_string(), why }
        }
        400 if why.to_ascii_lowercase().contains("invalid reply token") => Verdict::Again {
            after: Pause::NONE,
            whole_channel: false,
            instead: Some(Instead::Push),
        },
        429 if why.to_ascii_lowercase().contains("monthly limit") => {
            let why = "The monthly quota of messages at LINE is used up. A customer who writes can \
                       still be answered at once.";
            Verdict::never(QUOTA_SPENT, why)
        }
        429 | 500.. => Verdict::trouble(),
        _ => {
            Verdict::never(status, format!("LINE refused the message: {}", details(&answer, &why)))
        }
    }
}

/// Returns the reason of a refusal, with the name of the wrong field if LINE reports it.
fn details(answer: &Value, why: &str) -> String {
    let detail = &answer["details"][0];
    let words = ["property", "message"].map(|key| json_lookup::text(&detail[key]));
    let words = words.into_iter().flatten().collect::<Vec<_>>().join(": ");
    if words.is_empty() { why.to_owned() } else { format!("{why} ({words})") }
}

/// Parses the profile of a customer; `None` if it contains no name.
pub fn read_profile(body: &[u8]) -> Option<CustomerProfile> {
    let profile = json_lookup::parsed(body).ok()?;
    Some(CustomerProfile {
        name: json_lookup::name(&profile["displayName"])?,
        picture_url: json_lookup::text(&profile["pictureUrl"]),
    })
}

/// Determines a channel's health from the responses about the account, its webhook, its monthly
/// quota and its usage, in this order.
pub fn health(answers: &[CheckAnswer<'_>], hook_url: Option<&str>) -> ChannelHealth {
    let Some((info, status)) = answers.first().and_then(|it| Some((it, it.status?))) else {
        return ChannelHealth::unreachable("LINE");
    };
    match verdict(status, info.body) {
        Verdict::Sent { .. } => {}
        Verdict::BadToken { .. } => return ChannelHealth::unauthorized("LINE"),
        _ => return ChannelHealth::unreachable("LINE"),
    }
    let answer = |at: usize| {
        let answer = answers.get(at).filter(|it| it.status == Some(200));
        answer.and_then(|it| json_lookup::parsed(it.body).ok()).unwrap_or(Value::Null)
    };
    let [info, hook, quota, used] = [0, 1, 2, 3].map(answer);
    let quota = Quota::of(&quota, &used);
    let spent = || quota.as_ref().filter(|it| it.used >= it.most).map(Quota::spent);
    let health = hook_health(&hook, hook_url).or_else(spent);
    let mut health = health.unwrap_or_else(|| ChannelHealth::ok(None)).with_account(account(&info));
    if let Some(Quota { most, used }) = quota {
        health.quota = format!("{used} of this month's {most} messages are used.");
    }
    health
}

fn account(info: &Value) -> Option<AccountAtProvider> {
    let username = json_lookup::text(&info["basicId"]).unwrap_or_default();
    let name = json_lookup::name(&info["displayName"]).unwrap_or_else(|| username.clone());
    Some(AccountAtProvider { id: json_lookup::text(&info["userId"])?, name, username })
}

fn hook_health(hook: &Value, wanted: Option<&str>) -> Option<ChannelHealth> {
    let wrong = |why: &str, todo| Some(ChannelHealth::is(HealthState::Misconfigured, why, todo));
    let url = json_lookup::text(&hook["endpoint"]).unwrap_or_default();
    match wanted {
        Some(wanted) if hook.is_object() && url != wanted => wrong(
            "LINE sends the account's messages to another address.",
            "Set the webhook's address again.",
        ),
        Some(_) if hook["active"] == false => wrong(
            "The webhook is switched off, so no messages arrive.",
            "Switch on \"Use webhook\" in LINE's developer console.",
        ),
        _ => None,
    }
}

/// Monthly message limit of an account, and the number of messages used; only for accounts that
/// have a limit.
struct Quota {
    most: i64,
    used: i64,
}

impl Quota {
    fn of(quota: &Value, used: &Value) -> Option<Self> {
        let most = json_lookup::integer(&quota["value"]).filter(|_| quota["type"] == "limited")?;
        Some(Self { most, used: json_lookup::integer(&used["totalUsage"])? })
    }

    fn spent(&self) -> ChannelHealth {
        let why = format!("The monthly quota of {} messages is used up.", self.most);
        let todo = "Buy more messages at LINE; customers who write can still be answered at once.";
        ChannelHealth::is(HealthState::Limited, why, todo)
    }
}
