//! Parses webhooks into events of customers and delivery states of our messages.

use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;
use serde_json::Value;

use super::content;
use super::splitting::elements;
use crate::buttons::pressed_button;
use crate::json_lookup::{self, Unreadable};
use crate::provider::Provider;
use crate::provider_event::{
    Contact, Echo, EventContent, ExternalId, IdKind, IgnoredReason, Press, ProviderEvent, Reaction,
    SendTag, State, Status, StatusOf, Utterance,
};

/// Parses all events of a webhook.
pub fn read(provider: Provider, raw: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    let body = json_lookup::readable(raw)?;
    if !json_lookup::value(&body)?["entry"].is_array() {
        return Err(Unreadable("is not a Meta webhook"));
    }
    elements(&body).into_iter().map(|body| event(provider, body)).collect()
}

fn event(provider: Provider, body: String) -> Result<ProviderEvent, Unreadable> {
    let whole = json_lookup::value(&body)?;
    let entry = &whole["entry"][0];
    let is_standby = entry["standby"].is_array();
    let element = if is_standby { &entry["standby"][0] } else { &entry["messaging"][0] };
    let (key, content) = match json_lookup::text(&entry["changes"][0]["field"]) {
        Some(field) => {
            (None, EventContent::Ignored(IgnoredReason::Unknown(format!("test of {field}"))))
        }
        None => found(element, is_standby),
    };
    // The customer is the sender, except in echoes, where the customer is the recipient.
    let is_echo = json_lookup::is_true(&element["message"]["is_echo"]);
    let who = if is_echo { &element["recipient"]["id"] } else { &element["sender"]["id"] };
    let id = ExternalId::of(IdKind::User, json_lookup::text(who));
    let contact = id.and_then(|id| Contact::of(provider, vec![id]));
    let is_for_somebody = matches!(content, EventContent::Ignored(_)) || contact.is_some();
    let content =
        if is_for_somebody { content } else { EventContent::Ignored(IgnoredReason::Nothing) };
    Ok(ProviderEvent {
        key: key.unwrap_or_else(|| json_lookup::content_key(&body)),
        lane: contact.as_ref().map_or_else(String::new, Contact::lane),
        account: json_lookup::text(&entry["id"]),
        customer: contact,
        at: json_lookup::at_milliseconds(&element["timestamp"]),
        reply_token: None,
        content,
        body: JsonText::from_checked(body),
    })
}

/// Returns an event's key, if the event has an id, and its content.
fn found(element: &Value, is_standby: bool) -> (Option<String>, EventContent) {
    let about = |key: &str| Some(&element[key]).filter(|it| it.is_object());
    let nothing = (None, EventContent::Ignored(IgnoredReason::Nothing));
    if let Some(message) = about("message") {
        return read_message(message, is_standby).unwrap_or(nothing);
    }
    if let Some(edit) = about("message_edit") {
        return edited(edit).unwrap_or(nothing);
    }
    if let Some(postback) = about("postback") {
        return (None, pressed_postback(element, postback));
    }
    if let Some(reaction) = about("reaction") {
        let Some(to) = json_lookup::text(&reaction["mid"]) else { return nothing };
        let is_back = reaction["action"] == "unreact";
        let emoji = json_lookup::any_text(reaction, &["emoji", "reaction"]);
        return (None, EventContent::Reacted(Reaction { to, emoji: emoji.filter(|_| !is_back) }));
    }
    let receipt = [("read", State::Read), ("delivery", State::Delivered)];
    let receipt = receipt.into_iter().find_map(|(key, state)| status(about(key)?, state));
    if let Some(status) = receipt {
        return (None, EventContent::Status(status));
    }
    let parts = element.as_object().map(|it| it.keys()).into_iter().flatten();
    let known = ["sender", "recipient", "timestamp"];
    let name = parts.map(String::as_str).find(|key| !known.contains(key));
    (None, EventContent::Ignored(IgnoredReason::Unknown(name.unwrap_or("event").to_owned())))
}

fn read_message(message: &Value, is_standby: bool) -> Option<(Option<String>, EventContent)> {
    let mid = json_lookup::text(&message["mid"])?;
    if json_lookup::is_true(&message["is_deleted"]) {
        return Some((Some(format!("deleted:{mid}")), EventContent::Deleted(mid)));
    }
    let mut inbound_messages = content::inbound_messages(message);
    if is_standby {
        inbound_messages.iter_mut().for_each(|it| it.add("is_standby", true));
    }
    if json_lookup::is_true(&message["is_echo"]) {
        let tag = json_lookup::text(&message["metadata"]).and_then(|it| SendTag::parse(&it));
        let key = format!("echo:{mid}");
        return Some((
            Some(key),
            EventContent::Echoed(Echo { utterance: Utterance { id: mid, inbound_messages }, tag }),
        ));
    }
    if let Some(carried) = json_lookup::text(&message["quick_reply"]["payload"]) {
        let button = pressed_button(&carried);
        let title = json_lookup::text(&message["text"]);
        let press = Press { id: mid.clone(), button, title, query: None };
        return Some((Some(mid), EventContent::Pressed(press)));
    }
    Some((Some(mid.clone()), EventContent::Posted(Utterance { id: mid, inbound_messages })))
}

fn edited(edit: &Value) -> Option<(Option<String>, EventContent)> {
    let mid = json_lookup::text(&edit["mid"])?;
    let count = json_lookup::text(&edit["num_edit"]).unwrap_or_default();
    let inbound_messages = content::inbound_messages(edit);
    let key = format!("edit:{mid}:{count}");
    Some((Some(key), EventContent::Edited(Utterance { id: mid, inbound_messages })))
}

/// Reads the press of a template's button. If Meta sends no id, the id is composed of the sender
/// and the time.
fn pressed_postback(element: &Value, postback: &Value) -> EventContent {
    let carried = json_lookup::text(&postback["payload"]).unwrap_or_default();
    let at = json_lookup::text(&element["timestamp"]).unwrap_or_default();
    let who = json_lookup::text(&element["sender"]["id"]).unwrap_or_default();
    let id = json_lookup::text(&postback["mid"]);
    EventContent::Pressed(Press {
        id: id.unwrap_or_else(|| format!("postback:{who}:{at}")),
        button: pressed_button(&carried),
        title: json_lookup::text(&postback["title"]),
        query: None,
    })
}

/// Reads a delivery or read receipt. Messenger sends the time up to which all messages were
/// delivered or read; Instagram sends the id of the read message.
fn status(receipt: &Value, state: State) -> Option<Status> {
    let mids: Vec<_> = json_lookup::list(&receipt["mids"])
        .iter()
        .chain([&receipt["mid"]])
        .filter_map(json_lookup::text)
        .collect();
    let until = json_lookup::at_milliseconds(&receipt["watermark"]).filter(|it| *it > Timestamp(0));
    let of = match until {
        _ if !mids.is_empty() => StatusOf::Messages(mids),
        Some(until) => StatusOf::Until(until),
        None => return None,
    };
    Some(Status { of, state, failure: None, tag: None })
}
