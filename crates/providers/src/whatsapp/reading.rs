//! Parses webhooks into events of customers and delivery states of our messages.

use confab_domain::json_text::JsonText;
use serde_json::Value;

use super::answers::failure;
use super::content;
use super::splitting::elements;
use crate::buttons::pressed_button;
use crate::json_lookup::{self, Unreadable};
use crate::meta;
use crate::provider::Provider;
use crate::provider_event::{
    Contact, Echo, EventContent, ExternalId, IdKind, IgnoredReason, Press, ProviderEvent, Reaction,
    SendTag, State, Status, StatusOf, Utterance,
};

/// Parses all events of a webhook, such as messages, statuses and echoes.
pub fn read(raw: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    let body = json_lookup::readable(raw)?;
    if !json_lookup::value(&body)?["entry"].is_array() {
        return Err(Unreadable("is not a WhatsApp webhook"));
    }
    elements(&body).into_iter().map(event).collect()
}

fn event(body: String) -> Result<ProviderEvent, Unreadable> {
    let whole = json_lookup::value(&body)?;
    let change = &whole["entry"][0]["changes"][0];
    let value = &change["value"];
    let about = About { value, contact: &value["contacts"][0] };
    let (found, contact, at) = about.found(change);
    let (id, content) = found.unwrap_or((None, EventContent::Ignored(IgnoredReason::Nothing)));
    let is_for_somebody =
        matches!(content, EventContent::Ignored(_) | EventContent::Status(_)) || contact.is_some();
    let content =
        if is_for_somebody { content } else { EventContent::Ignored(IgnoredReason::Nothing) };
    Ok(ProviderEvent {
        key: id.unwrap_or_else(|| json_lookup::content_key(&body)),
        lane: contact.as_ref().map_or_else(String::new, Contact::lane),
        account: json_lookup::text(&value["metadata"]["phone_number_id"]),
        customer: contact,
        at,
        reply_token: None,
        content,
        body: JsonText::from_checked(body),
    })
}

type Found = (Option<String>, EventContent);
type At = Option<confab_domain::time::Timestamp>;

/// The `value` of a webhook's change with a single element, and the contact of this element.
struct About<'a> {
    value: &'a Value,
    contact: &'a Value,
}

impl About<'_> {
    /// Returns the event with its key, its customer, and its time.
    fn found(&self, change: &Value) -> (Option<Found>, Option<Contact>, At) {
        let one = |key: &str| Some(&self.value[key][0]).filter(|it| it.is_object());
        if let Some(message) = one("messages") {
            let contact = self.contact(message, ["from", "from_user_id", "from_parent_user_id"]);
            return (read_message(message), contact, time(message));
        }
        if let Some(echo) = one("message_echoes") {
            let contact = self.contact(echo, ["to", "to_user_id", "to_parent_user_id"]);
            return (echoed(echo), contact, time(echo));
        }
        if let Some(status) = one("statuses") {
            let keys = ["recipient_id", "recipient_user_id", "recipient_parent_user_id"];
            return (status_of(status), self.contact(status, keys), time(status));
        }
        if let Some(error) = one("errors") {
            let code = json_lookup::text(&error["code"]).unwrap_or_default();
            let words = format!("{code} {}", meta::why(error));
            return (
                Some((None, EventContent::Ignored(IgnoredReason::Trouble(words)))),
                None,
                None,
            );
        }
        if let Some(update) = one("user_id_update") {
            return (Some((None, renamed(update))), self.contact(update, NEW_IDS), time(update));
        }
        let field = json_lookup::text(&change["field"]).unwrap_or_else(|| "change".to_owned());
        (Some((None, EventContent::Ignored(IgnoredReason::Unknown(field)))), None, None)
    }

    /// Returns the customer, with the ids from the element and from its contact.
    fn contact(&self, element: &Value, keys: [&str; 3]) -> Option<Contact> {
        let kinds = [IdKind::Number, IdKind::BusinessScoped, IdKind::ParentScoped];
        let own = ["wa_id", "user_id", "parent_user_id"];
        let id = |at: usize| {
            let named = json_lookup::text(&element[keys[at]]);
            ExternalId::of(kinds[at], named.or_else(|| json_lookup::text(&self.contact[own[at]])))
        };
        let ids = [0, 1, 2].into_iter().filter_map(id).collect();
        let contact = Contact::of(Provider::Whatsapp, ids)?;
        let profile = &self.contact["profile"];
        let username = json_lookup::name(&profile["username"]);
        let name = json_lookup::name(&profile["name"]).or_else(|| username.clone());
        Some(Contact { name, username, ..contact })
    }
}

const NEW_IDS: [&str; 3] = ["wa_id", "-", "-"];

fn time(element: &Value) -> At {
    json_lookup::at_seconds(&element["timestamp"])
}

fn read_message(message: &Value) -> Option<Found> {
    let id = json_lookup::text(&message["id"])?;
    if !message["group_id"].is_null() {
        return Some((Some(id), EventContent::Ignored(IgnoredReason::Group)));
    }
    let kind = json_lookup::text(&message["type"]).unwrap_or_default();
    let content = match kind.as_str() {
        "reaction" => EventContent::Reacted(Reaction {
            to: json_lookup::text(&message["reaction"]["message_id"])?,
            emoji: json_lookup::text(&message["reaction"]["emoji"]),
        }),
        "button" => pressed(&id, &message["button"], ["payload", "text"]),
        "interactive" => match content::reply(&message["interactive"]) {
            Some(reply) => pressed(&id, reply, ["id", "title"]),
            None => posted(&id, message),
        },
        "system" => moved(message),
        "edit" => {
            let original = json_lookup::text(&message["edit"]["original_message_id"])?;
            let inbound_messages = content::inbound_messages(&message["edit"]["message"]);
            EventContent::Edited(Utterance { id: original, inbound_messages })
        }
        "revoke" => {
            EventContent::Deleted(json_lookup::text(&message["revoke"]["original_message_id"])?)
        }
        "request_welcome" => EventContent::Ignored(IgnoredReason::Nothing),
        _ => posted(&id, message),
    };
    Some((Some(id), content))
}

fn posted(id: &str, message: &Value) -> EventContent {
    EventContent::Posted(Utterance {
        id: id.to_owned(),
        inbound_messages: content::inbound_messages(message),
    })
}

fn pressed(id: &str, button: &Value, [carried, title]: [&str; 2]) -> EventContent {
    let carried = json_lookup::text(&button[carried]).unwrap_or_default();
    EventContent::Pressed(Press {
        id: id.to_owned(),
        button: pressed_button(&carried),
        title: json_lookup::text(&button[title]),
        query: None,
    })
}

/// Reads a change of the customer's number or ids.
fn moved(message: &Value) -> EventContent {
    let system = &message["system"];
    let kinds = [IdKind::Number, IdKind::BusinessScoped, IdKind::ParentScoped];
    let ids = |values: [&Value; 3]| {
        let ids = kinds.into_iter().zip(values);
        ids.filter_map(|(kind, value)| ExternalId::of(kind, json_lookup::text(value)))
            .collect::<Vec<_>>()
    };
    let number = if system["wa_id"].is_null() { &system["new_wa_id"] } else { &system["wa_id"] };
    let new = ids([number, &system["user_id"], &system["parent_user_id"]]);
    let kind = json_lookup::text(&system["type"]).unwrap_or_default();
    if new.is_empty() || !kind.contains("changed") || kind.contains("identity") {
        return EventContent::Ignored(IgnoredReason::Nothing);
    }
    let old = ["from", "from_user_id", "from_parent_user_id"].map(|key| &message[key]);
    EventContent::Moved { old: ids(old), new }
}

fn renamed(update: &Value) -> EventContent {
    let at = |when: &str| {
        let id = |key: &str, kind| ExternalId::of(kind, json_lookup::text(&update[key][when]));
        let scoped = id("user_id", IdKind::BusinessScoped);
        let parent = id("parent_user_id", IdKind::ParentScoped);
        scoped.into_iter().chain(parent).collect::<Vec<_>>()
    };
    let (mut old, new) = (at("previous"), at("current"));
    old.extend(ExternalId::of(IdKind::Number, json_lookup::text(&update["wa_id"])));
    if new.is_empty() {
        return EventContent::Ignored(IgnoredReason::Unknown("user_id_update".to_owned()));
    }
    EventContent::Moved { old, new }
}

/// Reads a message that the business sent by the WhatsApp app on its phone. Edits, deletions and
/// reactions made there are ignored.
fn echoed(echo: &Value) -> Option<Found> {
    let id = json_lookup::text(&echo["id"])?;
    let kind = json_lookup::text(&echo["type"]).unwrap_or_default();
    let content = match kind.as_str() {
        "edit" | "revoke" | "reaction" => {
            EventContent::Ignored(IgnoredReason::Unknown(format!("echo of {kind}")))
        }
        _ => {
            let utterance =
                Utterance { id: id.clone(), inbound_messages: content::inbound_messages(echo) };
            EventContent::Echoed(Echo { utterance, tag: None })
        }
    };
    Some((Some(id), content))
}

fn status_of(status: &Value) -> Option<Found> {
    let id = json_lookup::text(&status["id"])?;
    let word = json_lookup::text(&status["status"]).unwrap_or_default();
    let state = match word.as_str() {
        "sent" => State::Sent,
        "delivered" => State::Delivered,
        "read" | "played" => State::Read,
        "failed" => State::Failed,
        _ => {
            return Some((
                None,
                EventContent::Ignored(IgnoredReason::Unknown(format!("status {word}"))),
            ));
        }
    };
    let key = format!("status:{id}:{word}");
    let error = Some(&status["errors"][0]).filter(|_| state == State::Failed);
    let tag = json_lookup::text(&status["biz_opaque_callback_data"]);
    let tag = tag.and_then(|tag| SendTag::parse(&tag));
    let of = StatusOf::Messages(vec![id]);
    Some((Some(key), EventContent::Status(Status { of, state, failure: error.map(failure), tag })))
}
