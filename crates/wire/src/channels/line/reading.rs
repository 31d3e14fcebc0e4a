//! Webhooks: what customers do.

use confab_domain::json_text::JsonText;
use serde_json::Value;

use super::requests::SECRET_KEY;
use crate::channels::buttons::pressed_button;
use crate::channels::credentials::Credentials;
use crate::channels::elements::{fields, items, object, raw};
use crate::channels::heard::{
    Contact, Event, ExternalId, Heard, IdKind, Noise, Press, ReplyToken, Told,
};
use crate::channels::looking::{self, Unreadable};
use crate::channels::proof::{Head, Proof, is_signed_base64};
use crate::channels::provider::Provider;
use crate::channels::saying::{Media, MediaSource, Saying};

/// There is no handshake: the console's check is a webhook without events.
pub fn prove(credentials: &Credentials, head: &Head<'_>, raw: &[u8]) -> Proof {
    let given = head.header("x-line-signature");
    let is_signed = is_signed_base64(credentials.get(SECRET_KEY), raw, given);
    Proof::of(head.method == "POST" && is_signed)
}

/// Every event of a webhook.
pub fn read(json: &[u8]) -> Result<Vec<Event>, Unreadable> {
    let body = looking::readable(json)?;
    if !looking::value(&body)?["events"].is_array() {
        return Err(Unreadable("is no webhook of LINE"));
    }
    let known = fields(&body);
    let alone = |element: &serde_json::value::RawValue| {
        let events = format!("[{}]", element.get());
        object(&[("destination", raw(&known, "destination")), ("events", Some(&events))])
    };
    items(known.get("events")).into_iter().map(|it| event(alone(it))).collect()
}

fn event(body: String) -> Result<Event, Unreadable> {
    let whole = looking::value(&body)?;
    let event = &whole["events"][0];
    let source = &event["source"];
    let is_private = source["type"] == "user";
    let id = ExternalId::of(IdKind::User, looking::text(&source["userId"]));
    let contact = id.filter(|_| is_private);
    let contact = contact.and_then(|id| Contact::of(Provider::Line, vec![id]));
    let (id, heard) = found(event);
    let heard = match heard {
        _ if source.is_object() && !is_private => Heard::Noise(Noise::Group),
        Heard::Noise(_) => heard,
        _ if contact.is_none() => Heard::Noise(Noise::Nothing),
        _ => heard,
    };
    // Where another module answers, its token is not ours to spend.
    let is_active = event["mode"] != "standby";
    let reply_token = looking::text(&event["replyToken"]).map(ReplyToken);
    let reply_token = reply_token.filter(|_| is_active && is_private);
    Ok(Event {
        key: id.unwrap_or_else(|| looking::content_key(&body)),
        lane: contact.as_ref().map_or_else(String::new, Contact::lane),
        account: looking::text(&whole["destination"]),
        customer: contact,
        at: looking::at_milliseconds(&event["timestamp"]),
        reply_token,
        heard,
        body: JsonText::from_checked(body),
    })
}

/// What happened, and its key: a message has an id of its own.
fn found(event: &Value) -> (Option<String>, Heard) {
    let event_id = looking::text(&event["webhookEventId"]).map(|id| format!("event:{id}"));
    let kind = looking::text(&event["type"]).unwrap_or_default();
    let heard = match kind.as_str() {
        "message" => match looking::text(&event["message"]["id"]) {
            Some(id) => {
                let told = Told { id: id.clone(), sayings: sayings(event, &id) };
                return (Some(id), Heard::Said(told));
            }
            None => Heard::Noise(Noise::Nothing),
        },
        "unsend" => match looking::text(&event["unsend"]["messageId"]) {
            Some(id) => Heard::Deleted(id),
            None => Heard::Noise(Noise::Nothing),
        },
        "postback" => pressed(&event["postback"], event_id.as_deref()),
        "unfollow" => Heard::Left("The customer blocked the account.".to_owned()),
        "follow" => Heard::Noise(Noise::Nothing),
        _ => Heard::Noise(Noise::Unknown(kind)),
    };
    (event_id, heard)
}

fn pressed(postback: &Value, event_id: Option<&str>) -> Heard {
    let Some(id) = event_id else { return Heard::Noise(Noise::Nothing) };
    let carried = looking::text(&postback["data"]).unwrap_or_default();
    Heard::Pressed(Press {
        id: id.to_owned(),
        button: pressed_button(&carried),
        // A customer who chose a time or a menu said that.
        title: chosen(&postback["params"]),
        query: None,
    })
}

fn chosen(params: &Value) -> Option<String> {
    looking::any_text(params, &["datetime", "date", "time", "newRichMenuAliasId"])
}

fn sayings(event: &Value, id: &str) -> Vec<Saying> {
    let message = &event["message"];
    let mut sayings = content(message, id);
    if let Some(first) = sayings.first_mut() {
        first.reply_to = looking::text(&message["quotedMessageId"]);
    }
    let album = looking::text(&message["imageSet"]["id"]);
    for saying in &mut sayings {
        if let Some(album) = &album {
            saying.add("media_group_id", album.as_str());
        }
        if event["mode"] == "standby" {
            saying.add("is_standby", true);
        }
    }
    sayings
}

fn content(message: &Value, id: &str) -> Vec<Saying> {
    let kind = looking::text(&message["type"]).unwrap_or_else(|| "unknown".to_owned());
    let made = match kind.as_str() {
        "text" => looking::text(&message["text"]).map(|text| Saying::text(&text)),
        "image" => Some(file(message, id, "image.jpg", "image/jpeg")),
        "video" => Some(file(message, id, "video.mp4", "video/mp4")),
        "audio" => Some(file(message, id, "audio.m4a", "audio/mp4")),
        "file" => Some(file(message, id, "file", "")),
        "location" => Saying::location(message, &message["title"], &message["address"]),
        "sticker" => Some(sticker(message)),
        _ => None,
    };
    made.unwrap_or_else(|| Saying::unsupported(&kind, None))
}

fn file(message: &Value, id: &str, name: &str, mime_type: &str) -> Vec<Saying> {
    let external = looking::text(&message["contentProvider"]["originalContentUrl"]);
    let source = match external {
        Some(url) if message["contentProvider"]["type"] == "external" => MediaSource::Url(url),
        _ => MediaSource::Id(id.to_owned()),
    };
    let name = looking::name(&message["fileName"]).unwrap_or_else(|| name.to_owned());
    let mut media = Media::new(source, name);
    media.mime_type = Some(mime_type.to_owned()).filter(|it| !it.is_empty());
    media.bytes = looking::size(&message["fileSize"]);
    Saying::file(media)
}

/// LINE does not give its picture away; what it means is said.
fn sticker(message: &Value) -> Vec<Saying> {
    let words = looking::list(&message["keywords"]).iter().filter_map(looking::text);
    let words = words.collect::<Vec<_>>().join(", ");
    let words = looking::text(&message["text"]).or(Some(words).filter(|it| !it.is_empty()));
    let mut sayings = Saying::unsupported("sticker", words.as_deref());
    if let Some(first) = sayings.first_mut() {
        let id = ["packageId", "stickerId"].map(|key| message[key].clone());
        first.add("sticker", serde_json::json!({"package": id[0], "sticker": id[1]}));
    }
    sayings
}
