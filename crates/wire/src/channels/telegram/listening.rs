//! Receiving updates: by webhook or by polling. A bot uses one of them at a time.

use confab_domain::json_text::JsonText;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::verdict;
use super::reading;
use super::requests::{HOOK_SECRET, call};
use crate::channels::credentials::Credentials;
use crate::channels::json_lookup;
use crate::channels::provider_event::{EventContent, IgnoredReason, ProviderEvent};
use crate::channels::step::{Purpose, Step};
use crate::channels::verdict::Verdict;

/// Types of updates to receive. Reactions are sent only if requested explicitly.
const WANTED: [&str; 5] =
    ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"];

/// Time in seconds that Telegram waits for an update before it responds to a poll.
const HELD_S: u32 = 50;
const UPDATES_MAX: u32 = 100;

/// Sets the webhook. Telegram sends updates to this address, including pending ones.
pub fn set_hook(url: &str, credentials: &Credentials) -> Step {
    // The secret is in the body, which is never logged, like the path.
    let body = json!({
        "url": url,
        "secret_token": credentials.secret(HOOK_SECRET).expose(),
        "allowed_updates": WANTED,
        "max_connections": 40,
        "drop_pending_updates": false,
    });
    call(Purpose::SetUp, "setWebhook", body, credentials)
}

/// Removes the webhook. Pending updates are not lost.
pub fn remove_hook(credentials: &Credentials) -> Step {
    call(Purpose::SetUp, "deleteWebhook", json!({"drop_pending_updates": false}), credentials)
}

/// Polls for updates. `offset` confirms all earlier updates: commit their events first.
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
    /// An empty response may arrive immediately: wait a second before the next poll.
    Updates { events: Vec<ProviderEvent>, next_offset: Option<i64> },
    /// The bot has a webhook: remove it first.
    HookIsSet,
    /// Another client polls the same bot's updates.
    OtherPoller,
    /// The poll failed; the verdict is the same as for sending.
    Failed(Verdict),
}

/// Reads the response to a poll. An unreadable update must not block those behind it.
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
        content: EventContent::IgnoredReason(IgnoredReason::Unknown(
            "unreadable update".to_owned(),
        )),
        body: JsonText::from_checked(update.get()),
    })
}
