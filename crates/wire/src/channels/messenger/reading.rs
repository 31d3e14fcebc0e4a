//! Webhooks: what customers do, and what became of our messages.

use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;
use serde_json::Value;

use super::content;
use super::splitting::elements;
use crate::channels::buttons::pressed_button;
use crate::channels::heard::{
    Contact, Echo, Event, ExternalId, Heard, IdKind, Noise, Press, Reaction, SendTag, State,
    Status, StatusOf, Told,
};
use crate::channels::looking::{self, Unreadable};
use crate::channels::provider::Provider;

/// Every element of a webhook.
pub fn read(provider: Provider, raw: &[u8]) -> Result<Vec<Event>, Unreadable> {
    let body = looking::readable(raw)?;
    if !looking::value(&body)?["entry"].is_array() {
        return Err(Unreadable("is no webhook of Meta"));
    }
    elements(&body).into_iter().map(|body| event(provider, body)).collect()
}

fn event(provider: Provider, body: String) -> Result<Event, Unreadable> {
    let whole = looking::value(&body)?;
    let entry = &whole["entry"][0];
    let is_standby = entry["standby"].is_array();
    let element = if is_standby { &entry["standby"][0] } else { &entry["messaging"][0] };
    let (key, heard) = match looking::text(&entry["changes"][0]["field"]) {
        Some(field) => (None, Heard::Noise(Noise::Unknown(format!("test of {field}")))),
        None => found(element, is_standby),
    };
    // The customer sends, but of what the business sends they are who receives it.
    let is_echo = looking::is_true(&element["message"]["is_echo"]);
    let who = if is_echo { &element["recipient"]["id"] } else { &element["sender"]["id"] };
    let id = ExternalId::of(IdKind::User, looking::text(who));
    let contact = id.and_then(|id| Contact::of(provider, vec![id]));
    let is_for_somebody = matches!(heard, Heard::Noise(_)) || contact.is_some();
    let heard = if is_for_somebody { heard } else { Heard::Noise(Noise::Nothing) };
    Ok(Event {
        key: key.unwrap_or_else(|| looking::content_key(&body)),
        lane: contact.as_ref().map_or_else(String::new, Contact::lane),
        account: looking::text(&entry["id"]),
        customer: contact,
        at: looking::at_milliseconds(&element["timestamp"]),
        reply_token: None,
        heard,
        body: JsonText::from_checked(body),
    })
}

/// What happened, with its key where it has an id.
fn found(element: &Value, is_standby: bool) -> (Option<String>, Heard) {
    let about = |key: &str| Some(&element[key]).filter(|it| it.is_object());
    let nothing = (None, Heard::Noise(Noise::Nothing));
    if let Some(message) = about("message") {
        return said(message, is_standby).unwrap_or(nothing);
    }
    if let Some(edit) = about("message_edit") {
        return edited(edit).unwrap_or(nothing);
    }
    if let Some(postback) = about("postback") {
        return (None, pressed_postback(element, postback));
    }
    if let Some(reaction) = about("reaction") {
        let Some(to) = looking::text(&reaction["mid"]) else { return nothing };
        let is_back = reaction["action"] == "unreact";
        let emoji = looking::any_text(reaction, &["emoji", "reaction"]);
        return (None, Heard::Reacted(Reaction { to, emoji: emoji.filter(|_| !is_back) }));
    }
    let receipt = [("read", State::Read), ("delivery", State::Delivered)];
    let receipt = receipt.into_iter().find_map(|(key, state)| status(about(key)?, state));
    if let Some(status) = receipt {
        return (None, Heard::Status(status));
    }
    let parts = element.as_object().map(|it| it.keys()).into_iter().flatten();
    let known = ["sender", "recipient", "timestamp"];
    let name = parts.map(String::as_str).find(|key| !known.contains(key));
    (None, Heard::Noise(Noise::Unknown(name.unwrap_or("event").to_owned())))
}

fn said(message: &Value, is_standby: bool) -> Option<(Option<String>, Heard)> {
    let mid = looking::text(&message["mid"])?;
    if looking::is_true(&message["is_deleted"]) {
        return Some((Some(format!("deleted:{mid}")), Heard::Deleted(mid)));
    }
    let mut sayings = content::sayings(message);
    if is_standby {
        sayings.iter_mut().for_each(|it| it.add("is_standby", true));
    }
    if looking::is_true(&message["is_echo"]) {
        let tag = looking::text(&message["metadata"]).and_then(|it| SendTag::parse(&it));
        let key = format!("echo:{mid}");
        return Some((Some(key), Heard::Echoed(Echo { told: Told { id: mid, sayings }, tag })));
    }
    if let Some(carried) = looking::text(&message["quick_reply"]["payload"]) {
        let button = pressed_button(&carried);
        let title = looking::text(&message["text"]);
        let press = Press { id: mid.clone(), button, title, query: None };
        return Some((Some(mid), Heard::Pressed(press)));
    }
    Some((Some(mid.clone()), Heard::Said(Told { id: mid, sayings })))
}

fn edited(edit: &Value) -> Option<(Option<String>, Heard)> {
    let mid = looking::text(&edit["mid"])?;
    let count = looking::text(&edit["num_edit"]).unwrap_or_default();
    let sayings = content::sayings(edit);
    let key = format!("edit:{mid}:{count}");
    Some((Some(key), Heard::Edited(Told { id: mid, sayings })))
}

/// A press of a template's button has an id of its own where Meta gives one.
fn pressed_postback(element: &Value, postback: &Value) -> Heard {
    let carried = looking::text(&postback["payload"]).unwrap_or_default();
    let at = looking::text(&element["timestamp"]).unwrap_or_default();
    let who = looking::text(&element["sender"]["id"]).unwrap_or_default();
    let id = looking::text(&postback["mid"]);
    Heard::Pressed(Press {
        id: id.unwrap_or_else(|| format!("postback:{who}:{at}")),
        button: pressed_button(&carried),
        title: looking::text(&postback["title"]),
        query: None,
    })
}

/// Messenger tells until when everything arrived, Instagram which message was read.
fn status(receipt: &Value, state: State) -> Option<Status> {
    let mids: Vec<_> = looking::list(&receipt["mids"])
        .iter()
        .chain([&receipt["mid"]])
        .filter_map(looking::text)
        .collect();
    let until = looking::at_milliseconds(&receipt["watermark"]).filter(|it| *it > Timestamp(0));
    let of = match until {
        _ if !mids.is_empty() => StatusOf::Messages(mids),
        Some(until) => StatusOf::Until(until),
        None => return None,
    };
    Some(Status { of, state, failure: None, tag: None })
}
