//! Interprets the responses of Telegram's Bot API.

use std::time::Duration;

use serde_json::Value;

use super::content::message_id;
use crate::health::{AccountAtProvider, ChannelHealth, CheckAnswer, HealthState};
use crate::json_lookup;
use crate::verdict::{Instead, Pause, Verdict};

/// Error texts with which Telegram refuses a repeated request that it has already executed.
const DONE_BEFORE: [&str; 3] =
    ["message is not modified", "message to delete not found", "query is too old"];

/// Interprets a response by the error code in its body, because a response without one may come
/// from a proxy.
pub fn verdict(status: u16, body: &[u8]) -> Verdict {
    let answer = json_lookup::parsed(body).unwrap_or(Value::Null);
    if (200..300).contains(&status) && json_lookup::is_true(&answer["ok"]) {
        return Verdict::sent(sent_id(&answer["result"]));
    }
    let why = json_lookup::text(&answer["description"]).unwrap_or_default();
    let Some(code) = json_lookup::integer(&answer["error_code"]) else {
        return unexplained(status);
    };
    let parameters = &answer["parameters"];
    match code {
        429 => {
            let seconds = json_lookup::size(&parameters["retry_after"]);
            let after =
                seconds.map_or(Pause::TROUBLE, |it| Pause::Exactly(Duration::from_secs(it)));
            Verdict::Again { after, whole_channel: true, instead: None }
        }
        // A revoked token yields 401, a token that never existed 404.
        401 | 404 => Verdict::bad_token(code, "Telegram rejects the bot's token."),
        400 if json_lookup::text(&parameters["migrate_to_chat_id"]).is_some() => {
            let address =
                json_lookup::text(&parameters["migrate_to_chat_id"]).map(Instead::Address);
            Verdict::Again { after: Pause::NONE, whole_channel: false, instead: address }
        }
        400 if DONE_BEFORE.iter().any(|it| why.contains(it)) => Verdict::sent(None),
        400 | 403 | 413 => Verdict::never(code, plain(&why)),
        504 => Verdict::Uncertain,
        // Another tool polls the same bot's updates (409), which does not prevent sending.
        409 | 500.. => Verdict::trouble(),
        _ => Verdict::never(code, plain(&why)),
    }
}

/// Interprets a response without an error code: it is from a proxy, or incomplete.
fn unexplained(status: u16) -> Verdict {
    match status {
        200..300 | 504 => Verdict::Uncertain,
        _ => Verdict::trouble(),
    }
}

/// Returns the message id; `None` for calls that create no message and return `true`.
fn sent_id(result: &Value) -> Option<String> {
    let chat = json_lookup::text(&result["chat"]["id"])?;
    message_id(&chat, &result["message_id"])
}

fn plain(why: &str) -> String {
    let known = [
        ("bot was blocked", "The customer blocked the bot."),
        ("user is deactivated", "The customer's account no longer exists."),
        ("chat not found", "The customer never wrote to this bot."),
        ("can't initiate conversation", "The customer must write to the bot first."),
    ];
    let found = known.into_iter().find(|(words, _)| why.contains(words));
    found.map_or_else(|| format!("Telegram refused it: {why}"), |(_, plain)| plain.to_owned())
}

/// Determines a channel's health from the responses to `getMe` and `getWebhookInfo`.
pub fn health(answers: &[CheckAnswer<'_>], hook_url: Option<&str>) -> ChannelHealth {
    let [me, hook] = [0, 1].map(|at| answers.get(at).copied());
    let Some((me, status)) = me.and_then(|it| Some((it, it.status?))) else {
        return ChannelHealth::unreachable("Telegram");
    };
    match verdict(status, me.body) {
        Verdict::Sent { .. } => {}
        Verdict::BadToken { .. } => return ChannelHealth::unauthorized("Telegram"),
        _ => return ChannelHealth::unreachable("Telegram"),
    }
    let account = account(&json_lookup::parsed(me.body).unwrap_or(Value::Null)["result"]);
    let hook = hook.and_then(|it| json_lookup::parsed(it.body).ok()).unwrap_or(Value::Null);
    hook_health(&hook["result"], hook_url).with_account(account)
}

fn account(me: &Value) -> Option<AccountAtProvider> {
    let username = json_lookup::text(&me["username"]).unwrap_or_default();
    let name = json_lookup::name(&me["first_name"]).unwrap_or_else(|| username.clone());
    Some(AccountAtProvider { id: json_lookup::text(&me["id"])?, name, username })
}

/// Checks the bot's webhook. A bot has only one webhook, so another system may have replaced ours.
fn hook_health(hook: &Value, wanted: Option<&str>) -> ChannelHealth {
    let url = json_lookup::text(&hook["url"]).unwrap_or_default();
    if hook.is_object() && url != wanted.unwrap_or_default() {
        let why = match wanted {
            Some(_) if url.is_empty() => "The bot has no webhook, so no messages arrive.",
            Some(_) => "Another system has set the bot's webhook and receives its messages.",
            None => "The bot has a webhook of another system, which receives its messages.",
        };
        let todo = "Set the webhook again, and use one bot for one system only.";
        return ChannelHealth::is(HealthState::Misconfigured, why, todo);
    }
    let waiting = json_lookup::integer(&hook["pending_update_count"]).unwrap_or(0);
    match json_lookup::text(&hook["last_error_message"]) {
        Some(error) if waiting > 0 => {
            let why = format!("Telegram could not deliver {waiting} messages: {error}");
            let todo = "Check that this server can be reached from outside by its public address.";
            ChannelHealth::is(HealthState::Limited, why, todo)
        }
        _ => ChannelHealth::ok(None),
    }
}
