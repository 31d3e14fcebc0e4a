//! Receiving updates: by webhook or by polling. A bot uses one of them at a time.

use confab_domain::json_text::JsonText;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::verdict;
use super::reading;
use super::requests::{HOOK_SECRET, call};
use crate::credentials::Credentials;
use crate::json_lookup;
use crate::provider_event::{EventContent, IgnoredReason, ProviderEvent};
use crate::step::{Purpose, Step};
use crate::verdict::Verdict;

/// Types of updates to receive. Telegram sends reactions only if they are requested explicitly.
const WANTED: [&str; 5] =
    ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"];

/// Time in seconds that Telegram waits for an update before it responds to a poll.
const HELD_S: u32 = 50;
const UPDATES_MAX: u32 = 100;

/// Returns the request that sets the bot's webhook. Telegram also sends pending updates to it.
pub fn set_hook(url: &str, credentials: &Credentials) -> Step {
    // The body contains the secret; bodies are never logged.
    let body = json!({
        "url": url,
        "secret_token": credentials.secret(HOOK_SECRET).expose(),
        "allowed_updates": WANTED,
        "max_connections": 40,
        "drop_pending_updates": false,
    });
    call(Purpose::SetUp, "setWebhook", body, credentials)
}

/// Returns the request that removes the bot's webhook. Telegram retains pending updates.
pub fn remove_hook(credentials: &Credentials) -> Step {
    call(Purpose::SetUp, "deleteWebhook", json!({"drop_pending_updates": false}), credentials)
}

/// Returns the request that polls for updates. `offset` confirms all earlier updates, so their
/// events must be committed before.
pub fn poll(offset: Option<i64>, credentials: &Credentials) -> Step {
    let mut body = json!({"limit": UPDATES_MAX, "timeout": HELD_S, "allowed_updates": WANTED});
    if let Some(offset) = offset {
        body["offset"] = offset.into();
    }
    call(Purpose::Check, "getUpdates", body, credentials)
}

/// Result of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Poll {
    /// Events, and the offset of the next poll, which must be sent after the events are committed.
    /// Telegram may respond immediately even without updates, so the caller must wait a second
    /// before the next poll.
    Updates { events: Vec<ProviderEvent>, next_offset: Option<i64> },
    /// The bot has a webhook, which must be removed before polling.
    HookIsSet,
    /// Another client polls the same bot's updates.
    OtherPoller,
    /// The poll failed; the verdict has the same meaning as for sending.
    Failed(Verdict),
}

/// Parses the response to a poll. An unreadable update becomes an ignored event, so that it does
/// not block later updates.
pub fn read_poll(status: u16, body: &[u8]) -> Poll {
    #[derive(Deserialize)]
    struct Answer<'a> {
        #[serde(borrow)]
        result: Vec<&'a RawValue>,
    }
    let answer = serde_json::from_slice::<Answer<'_>>(body);
    if let (200..300, Ok(answer)) = (status, answer) {
        let next_offset = answer.result.iter().filter_map(|it| update_id(it)).max();
        let next_offset = next_offset.and_then(|it| it.checked_add(1));
        let events = answer.result.into_iter().map(event).collect();
        return Poll::Updates { events, next_offset };
    }
    let refused = json_lookup::parsed(body).unwrap_or(Value::Null);
    let why = json_lookup::text(&refused["description"]).unwrap_or_default();
    match json_lookup::integer(&refused["error_code"]) {
        Some(409) if why.contains("webhook") => Poll::HookIsSet,
        Some(409) => Poll::OtherPoller,
        _ => Poll::Failed(match verdict(status, body) {
            Verdict::Sent { .. } | Verdict::Uncertain => Verdict::trouble(),
            verdict => verdict,
        }),
    }
}

fn update_id(update: &RawValue) -> Option<i64> {
    #[derive(Deserialize)]
    struct Numbered {
        update_id: i64,
    }
    serde_json::from_str::<Numbered>(update.get()).ok().map(|it| it.update_id)
}

fn event(update: &RawValue) -> ProviderEvent {
    let mut read = reading::read(update.get().as_bytes()).unwrap_or_default();
    read.pop().unwrap_or_else(|| ProviderEvent {
        key: format!("update:{}", update_id(update).unwrap_or_default()),
        lane: String::new(),
        account: None,
        customer: None,
        at: None,
        reply_token: None,
        content: EventContent::Ignored(IgnoredReason::Unknown("unreadable update".to_owned())),
        body: JsonText::from_checked(update.get()),
    })
}
