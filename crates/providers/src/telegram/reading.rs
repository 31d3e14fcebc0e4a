//! Parses Telegram's updates into events of customers.

use confab_domain::json_text::JsonText;
use serde_json::Value;

use super::content::{self, message_id};
use super::requests::{self, BOT_TOKEN, HOOK_SECRET};
use crate::buttons::pressed_button;
use crate::credentials::Credentials;
use crate::inbound_message::{Media, MediaSource};
use crate::json_lookup::{self, Unreadable};
use crate::proof::{Head, Proof, is_same};
use crate::provider::Provider;
use crate::provider_event::{
    Contact, EventContent, ExternalId, IdKind, IgnoredReason, Press, ProviderEvent, Reaction,
    Utterance,
};
use crate::step::{Method, Purpose, Slot, Step};

const SECRET_HEADER: &str = "x-telegram-bot-api-secret-token";

/// Verifies that a webhook request contains the secret that `set_hook` set. Telegram has no
/// handshake.
pub fn prove(credentials: &Credentials, head: &Head<'_>) -> Proof {
    let given = head.header(SECRET_HEADER);
    Proof::of(head.method == "POST" && is_same(credentials.get(HOOK_SECRET), given))
}

/// Parses one update. Its event contains the received text, because parsing and serializing a
/// number may change it.
pub fn read(raw: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    let body = json_lookup::readable(raw)?;
    let update = json_lookup::value(&body)?;
    if !update.is_object() {
        return Err(Unreadable("is not an update"));
    }
    Ok(vec![event(&update, JsonText::from_checked(body))])
}

fn event(update: &Value, body: JsonText) -> ProviderEvent {
    let (about, chat, content) = found(update);
    let is_private = chat["type"] == "private";
    let customer = if is_private { contact(chat, about) } else { None };
    let content = match content {
        EventContent::Moved { .. } => content,
        _ if chat.is_object() && !is_private => EventContent::Ignored(IgnoredReason::Group),
        EventContent::Ignored(_) => content,
        _ if customer.is_none() => EventContent::Ignored(IgnoredReason::Nothing),
        _ => content,
    };
    let at = ["edit_date", "date"].iter().find_map(|key| json_lookup::at_seconds(&about[*key]));
    ProviderEvent {
        key: key(update, &content),
        lane: customer.as_ref().map_or_else(String::new, Contact::lane),
        account: None,
        customer,
        at,
        reply_token: None,
        content,
        body,
    }
}

/// Returns the object that an update contains, its chat, and the event's content.
fn found(update: &Value) -> (&Value, &Value, EventContent) {
    let nothing = &Value::Null;
    let about = |key: &str| Some(&update[key]).filter(|it| it.is_object());
    if let Some(message) = about("message") {
        return (message, &message["chat"], posted(message, EventContent::Posted));
    }
    if let Some(message) = about("edited_message") {
        return (message, &message["chat"], posted(message, EventContent::Edited));
    }
    if let Some(query) = about("callback_query") {
        let chat = &query["message"]["chat"];
        return (query, chat, pressed(query));
    }
    if let Some(member) = about("my_chat_member") {
        return (member, &member["chat"], membership(member));
    }
    if let Some(reaction) = about("message_reaction") {
        return (reaction, &reaction["chat"], reacted(reaction).unwrap_or(UNREADABLE));
    }
    let other = update.as_object().and_then(|it| it.keys().find(|key| *key != "update_id"));
    let name = other.map_or("update", String::as_str).to_owned();
    (nothing, nothing, EventContent::Ignored(IgnoredReason::Unknown(name)))
}

const UNREADABLE: EventContent = EventContent::Ignored(IgnoredReason::Nothing);

fn key(update: &Value, content: &EventContent) -> String {
    match content {
        EventContent::Posted(utterance) => utterance.id.clone(),
        EventContent::Pressed(press) => press.id.clone(),
        _ => format!("update:{}", json_lookup::text(&update["update_id"]).unwrap_or_default()),
    }
}

fn posted(message: &Value, content_of: fn(Utterance) -> EventContent) -> EventContent {
    if let Some(new) = json_lookup::text(&message["migrate_to_chat_id"]) {
        let chat = |value| ExternalId { kind: IdKind::Chat, value };
        let old = json_lookup::text(&message["chat"]["id"]).map(chat);
        return EventContent::Moved { old: old.into_iter().collect(), new: vec![chat(new)] };
    }
    match utterance(message) {
        Some(utterance) if !utterance.inbound_messages.is_empty() => content_of(utterance),
        // The message is a notice about the chat, such as a pinned message.
        _ => EventContent::Ignored(IgnoredReason::Nothing),
    }
}

fn utterance(message: &Value) -> Option<Utterance> {
    let chat = json_lookup::text(&message["chat"]["id"])?;
    let id = message_id(&chat, &message["message_id"])?;
    Some(Utterance { id, inbound_messages: content::inbound_messages(message, &chat) })
}

fn pressed(query: &Value) -> EventContent {
    let Some(id) = json_lookup::text(&query["id"]) else { return UNREADABLE };
    let carried = json_lookup::any_text(query, &["data", "game_short_name"]).unwrap_or_default();
    let button = pressed_button(&carried);
    let rows = json_lookup::list(&query["message"]["reply_markup"]["inline_keyboard"]);
    let mut shown = rows.iter().flat_map(json_lookup::list);
    let title = shown.find(|it| it["callback_data"] == carried.as_str());
    let title = title.and_then(|it| json_lookup::text(&it["text"]));
    EventContent::Pressed(Press { id: format!("press:{id}"), button, title, query: Some(id) })
}

fn membership(member: &Value) -> EventContent {
    match json_lookup::text(&member["new_chat_member"]["status"]).as_deref() {
        Some("kicked" | "left") => EventContent::Left("The customer blocked the bot.".to_owned()),
        _ => EventContent::Ignored(IgnoredReason::Nothing),
    }
}

fn reacted(reaction: &Value) -> Option<EventContent> {
    let chat = json_lookup::text(&reaction["chat"]["id"])?;
    let to = message_id(&chat, &reaction["message_id"])?;
    let newest = json_lookup::list(&reaction["new_reaction"]).last();
    // A custom emoji has no character; a star stands for it.
    let emoji = newest.map(|it| json_lookup::text(&it["emoji"]).unwrap_or_else(|| "⭐".to_owned()));
    Some(EventContent::Reacted(Reaction { to, emoji }))
}

/// Returns the customer of a private chat, whose id is also the customer's id.
fn contact(chat: &Value, about: &Value) -> Option<Contact> {
    let id = ExternalId::of(IdKind::Chat, json_lookup::text(&chat["id"]))?;
    let contact = Contact::of(Provider::Telegram, vec![id])?;
    let from = [&about["from"], &about["user"], chat].into_iter().find(|it| it.is_object())?;
    let names = ["first_name", "last_name"].map(|key| json_lookup::name(&from[key]));
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let username = json_lookup::name(&from["username"]);
    let name = json_lookup::name(&name.into()).or_else(|| username.clone());
    Some(Contact { name, username, language: json_lookup::text(&from["language_code"]), ..contact })
}

/// Returns the requests that download a file: one for its path, which is valid for an hour, and one
/// for its content.
pub fn fetch(media: &Media, credentials: &Credentials) -> Vec<Step> {
    let MediaSource::Id(id) = &media.source else { return Vec::new() };
    let body = serde_json::json!({"file_id": id});
    let locate = requests::call(Purpose::Locate, "getFile", body, credentials);
    let path = format!("/file/bot{}/", crate::step::TOKEN);
    let fetch = Step::new(Purpose::Fetch, Method::Get, path);
    let fetch = fetch.with_token(credentials.secret(BOT_TOKEN)).taking(Slot::PathEnd);
    vec![locate.giving("/result/file_path"), fetch]
}

/// Returns the request that answers a button press, for which the customer's app waits.
pub fn acknowledge(event: &ProviderEvent, credentials: &Credentials) -> Vec<Step> {
    let EventContent::Pressed(Press { query: Some(query), .. }) = &event.content else {
        return Vec::new();
    };
    let body = serde_json::json!({"callback_query_id": query});
    vec![requests::call(Purpose::Courtesy, "answerCallbackQuery", body, credentials)]
}
