//! Parses LINE's webhooks into events of customers.

use confab_domain::json_text::JsonText;
use serde_json::Value;

use super::requests::SECRET_KEY;
use crate::buttons::pressed_button;
use crate::credentials::Credentials;
use crate::elements::{fields, items, object, raw};
use crate::inbound_message::{InboundMessage, Media, MediaSource};
use crate::json_lookup::{self, Unreadable};
use crate::proof::{Head, Proof, is_signed_base64};
use crate::provider::Provider;
use crate::provider_event::{
    Contact, EventContent, ExternalId, IdKind, IgnoredReason, Press, ProviderEvent, ReplyToken,
    Utterance,
};

/// Verifies the signature of a webhook. LINE has no handshake: to verify the URL, its console sends
/// a webhook without events.
pub fn prove(credentials: &Credentials, head: &Head<'_>, raw: &[u8]) -> Proof {
    let given = head.header("x-line-signature");
    let is_signed = is_signed_base64(credentials.get(SECRET_KEY), raw, given);
    Proof::of(head.method == "POST" && is_signed)
}

/// Parses all events of a webhook.
pub fn read(json: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    let body = json_lookup::readable(json)?;
    if !json_lookup::value(&body)?["events"].is_array() {
        return Err(Unreadable("is not a LINE webhook"));
    }
    let known = fields(&body);
    let alone = |element: &serde_json::value::RawValue| {
        let events = format!("[{}]", element.get());
        object(&[("destination", raw(&known, "destination")), ("events", Some(&events))])
    };
    items(known.get("events")).into_iter().map(|it| event(alone(it))).collect()
}

fn event(body: String) -> Result<ProviderEvent, Unreadable> {
    let whole = json_lookup::value(&body)?;
    let event = &whole["events"][0];
    let source = &event["source"];
    let is_private = source["type"] == "user";
    let id = ExternalId::of(IdKind::User, json_lookup::text(&source["userId"]));
    let contact = id.filter(|_| is_private);
    let contact = contact.and_then(|id| Contact::of(Provider::Line, vec![id]));
    let (id, content) = found(event);
    let content = match content {
        _ if source.is_object() && !is_private => EventContent::Ignored(IgnoredReason::Group),
        EventContent::Ignored(_) => content,
        _ if contact.is_none() => EventContent::Ignored(IgnoredReason::Nothing),
        _ => content,
    };
    // In standby mode, another LINE module answers and owns the reply token.
    let is_active = event["mode"] != "standby";
    let reply_token = json_lookup::text(&event["replyToken"]).map(ReplyToken);
    let reply_token = reply_token.filter(|_| is_active && is_private);
    Ok(ProviderEvent {
        key: id.unwrap_or_else(|| json_lookup::content_key(&body)),
        lane: contact.as_ref().map_or_else(String::new, Contact::lane),
        account: json_lookup::text(&whole["destination"]),
        customer: contact,
        at: json_lookup::at_milliseconds(&event["timestamp"]),
        reply_token,
        content,
        body: JsonText::from_checked(body),
    })
}

/// Returns an event's key and its content. The key is the message id if the event has one.
fn found(event: &Value) -> (Option<String>, EventContent) {
    let event_id = json_lookup::text(&event["webhookEventId"]).map(|id| format!("event:{id}"));
    let kind = json_lookup::text(&event["type"]).unwrap_or_default();
    let content = match kind.as_str() {
        "message" => match json_lookup::text(&event["message"]["id"]) {
            Some(id) => {
                let told =
                    Utterance { id: id.clone(), inbound_messages: inbound_messages(event, &id) };
                return (Some(id), EventContent::Posted(told));
            }
            None => EventContent::Ignored(IgnoredReason::Nothing),
        },
        "unsend" => match json_lookup::text(&event["unsend"]["messageId"]) {
            Some(id) => EventContent::Deleted(id),
            None => EventContent::Ignored(IgnoredReason::Nothing),
        },
        "postback" => pressed(&event["postback"], event_id.as_deref()),
        "unfollow" => EventContent::Left("The customer blocked the account.".to_owned()),
        "follow" => EventContent::Ignored(IgnoredReason::Nothing),
        _ => EventContent::Ignored(IgnoredReason::Unknown(kind)),
    };
    (event_id, content)
}

fn pressed(postback: &Value, event_id: Option<&str>) -> EventContent {
    let Some(id) = event_id else { return EventContent::Ignored(IgnoredReason::Nothing) };
    let carried = json_lookup::text(&postback["data"]).unwrap_or_default();
    EventContent::Pressed(Press {
        id: id.to_owned(),
        button: pressed_button(&carried),
        // A time or a menu that the customer chose becomes the text.
        title: chosen(&postback["params"]),
        query: None,
    })
}

fn chosen(params: &Value) -> Option<String> {
    json_lookup::any_text(params, &["datetime", "date", "time", "newRichMenuAliasId"])
}

fn inbound_messages(event: &Value, id: &str) -> Vec<InboundMessage> {
    let message = &event["message"];
    let mut inbound_messages = content(message, id);
    if let Some(first) = inbound_messages.first_mut() {
        first.reply_to = json_lookup::text(&message["quotedMessageId"]);
    }
    let album = json_lookup::text(&message["imageSet"]["id"]);
    for saying in &mut inbound_messages {
        if let Some(album) = &album {
            saying.add("media_group_id", album.as_str());
        }
        if event["mode"] == "standby" {
            saying.add("is_standby", true);
        }
    }
    inbound_messages
}

fn content(message: &Value, id: &str) -> Vec<InboundMessage> {
    let kind = json_lookup::text(&message["type"]).unwrap_or_else(|| "unknown".to_owned());
    let made = match kind.as_str() {
        "text" => json_lookup::text(&message["text"]).map(|text| InboundMessage::text(&text)),
        "image" => Some(file(message, id, "image.jpg", "image/jpeg")),
        "video" => Some(file(message, id, "video.mp4", "video/mp4")),
        "audio" => Some(file(message, id, "audio.m4a", "audio/mp4")),
        "file" => Some(file(message, id, "file", "")),
        "location" => InboundMessage::location(message, &message["title"], &message["address"]),
        "sticker" => Some(sticker(message)),
        _ => None,
    };
    made.unwrap_or_else(|| InboundMessage::unsupported(&kind, None))
}

fn file(message: &Value, id: &str, name: &str, mime_type: &str) -> Vec<InboundMessage> {
    let external = json_lookup::text(&message["contentProvider"]["originalContentUrl"]);
    let source = match external {
        Some(url) if message["contentProvider"]["type"] == "external" => MediaSource::Url(url),
        _ => MediaSource::Id(id.to_owned()),
    };
    let name = json_lookup::name(&message["fileName"]).unwrap_or_else(|| name.to_owned());
    let mut media = Media::new(source, name);
    media.mime_type = Some(mime_type.to_owned()).filter(|it| !it.is_empty());
    media.bytes = json_lookup::size(&message["fileSize"]);
    InboundMessage::file(media)
}

/// Creates a text from a sticker's keywords, because LINE does not provide its picture.
fn sticker(message: &Value) -> Vec<InboundMessage> {
    let words = json_lookup::list(&message["keywords"]).iter().filter_map(json_lookup::text);
    let words = words.collect::<Vec<_>>().join(", ");
    let words = json_lookup::text(&message["text"]).or(Some(words).filter(|it| !it.is_empty()));
    let mut inbound_messages = InboundMessage::unsupported("sticker", words.as_deref());
    if let Some(first) = inbound_messages.first_mut() {
        let id = ["packageId", "stickerId"].map(|key| message[key].clone());
        first.add("sticker", serde_json::json!({"package": id[0], "sticker": id[1]}));
    }
    inbound_messages
}
