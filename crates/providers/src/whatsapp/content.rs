//! Converts WhatsApp messages to inbound messages (channel facts 3.2).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::inbound_message::{InboundMessage, Media, MediaSource};
use crate::json_lookup;

/// Returns the pressed button of an interactive reply; `None` if it is another kind of reply.
pub(super) fn reply(interactive: &Value) -> Option<&Value> {
    let replies = ["button_reply", "list_reply"].map(|key| &interactive[key]);
    replies.into_iter().find(|it| it.is_object())
}

/// Returns the content of a WhatsApp message; each of its contacts becomes a separate message.
pub(super) fn inbound_messages(message: &Value) -> Vec<InboundMessage> {
    let mut inbound_messages = content(message).unwrap_or_else(|| unsupported(message));
    let context = &message["context"];
    if let Some(first) = inbound_messages.first_mut() {
        first.reply_to = json_lookup::text(&context["id"]);
        if message["referral"].is_object() {
            first.add("referral", message["referral"].clone());
        }
        if context["referred_product"].is_object() {
            first.add("referred_product", context["referred_product"].clone());
        }
    }
    let marks = ["forwarded", "frequently_forwarded"];
    if marks.iter().any(|mark| json_lookup::is_true(&context[*mark])) {
        inbound_messages.iter_mut().for_each(|it| it.add("is_forwarded", true));
    }
    inbound_messages
}

/// Converts a message of a supported type; `None` if the type is not supported or required content
/// is missing.
fn content(message: &Value) -> Option<Vec<InboundMessage>> {
    let kind = json_lookup::text(&message["type"])?;
    let content = &message[kind.as_str()];
    match kind.as_str() {
        "text" => Some(InboundMessage::text(&json_lookup::text(&content["body"])?)),
        "image" | "video" | "audio" | "document" | "sticker" => file(&kind, content),
        "location" => InboundMessage::location(content, &content["name"], &content["address"]),
        "contacts" => {
            let contacts: Vec<_> = json_lookup::list(content).iter().map(contact).collect();
            Some(contacts).filter(|it| !it.is_empty())
        }
        "interactive" if content["nfm_reply"].is_object() => Some(form(&content["nfm_reply"])),
        "order" if content.is_object() => Some(InboundMessage::custom("order", content)),
        _ => None,
    }
}

fn file(kind: &str, content: &Value) -> Option<Vec<InboundMessage>> {
    let source = MediaSource::Id(json_lookup::text(&content["id"])?);
    let mime_type = json_lookup::text(&content["mime_type"]);
    let name = json_lookup::name(&content["filename"]);
    let name = name.unwrap_or_else(|| format!("{kind}{}", ending(mime_type.as_deref(), kind)));
    let mut media = Media::new(source, name);
    media.caption = json_lookup::text(&content["caption"]).unwrap_or_default();
    media.mime_type = mime_type;
    media.bytes = json_lookup::size(&content["file_size"]);
    media.sha256 = json_lookup::text(&content["sha256"]).and_then(|it| hexadecimal(&it));
    Some(InboundMessage::file(media))
}

fn ending(mime_type: Option<&str>, kind: &str) -> &'static str {
    // The type may have parameters: `audio/ogg; codecs=opus`.
    match mime_type.and_then(|it| it.split(';').next()) {
        Some("image/png") => ".png",
        Some("image/webp") => ".webp",
        Some("video/3gpp") => ".3gp",
        Some("audio/mpeg") => ".mp3",
        Some("audio/mp4") => ".m4a",
        Some("audio/aac") => ".aac",
        Some("audio/amr") => ".amr",
        Some("application/pdf") => ".pdf",
        _ => match kind {
            "image" => ".jpg",
            "video" => ".mp4",
            "audio" => ".ogg",
            "sticker" => ".webp",
            _ => "",
        },
    }
}

/// Converts the SHA-256 hash of a file from Base64, as in webhooks, to hexadecimal.
fn hexadecimal(base64: &str) -> Option<String> {
    let hash = STANDARD.decode(base64).ok().filter(|hash| hash.len() == 32)?;
    Some(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Creates a message with a contact's first phone number or e-mail address. The extras contain the
/// complete contact card.
fn contact(card: &Value) -> InboundMessage {
    let number = |phone: &Value| json_lookup::any_text(phone, &["phone", "wa_id"]);
    let phone = json_lookup::list(&card["phones"]).iter().find_map(number);
    let address = |email: &Value| json_lookup::text(&email["email"]);
    let email = json_lookup::list(&card["emails"]).iter().find_map(address);
    let names = ["formatted_name", "first_name", "last_name"];
    let name = names.iter().find_map(|key| json_lookup::name(&card["name"][*key]));
    let (kind, value) = match (phone, email) {
        (Some(phone), _) => ("phone", phone),
        (None, Some(email)) => ("email", email),
        (None, None) => ("phone", "-".to_owned()),
    };
    let name = name.unwrap_or_else(|| value.clone());
    let mut saying = InboundMessage::contact_person(&name, kind, &value);
    saying.add("contact", card.clone());
    saying
}

/// Creates a message with the customer's answers to a form, which arrive as JSON in a string.
fn form(reply: &Value) -> Vec<InboundMessage> {
    let written = reply["response_json"].as_str().unwrap_or_default();
    let answers = json_lookup::parsed(written.as_bytes()).unwrap_or(Value::Null);
    let content = json!({
        "name": reply["name"], "body": reply["body"], "response": answers,
    });
    InboundMessage::custom("form_reply", &content)
}

fn unsupported(message: &Value) -> Vec<InboundMessage> {
    let named = json_lookup::text(&message["unsupported"]["type"]);
    let kind = named.or_else(|| json_lookup::text(&message["type"]));
    let kind = kind.unwrap_or_else(|| "unknown".to_owned());
    let error = &message["errors"][0];
    let details = json_lookup::text(&error["error_data"]["details"]);
    let mut inbound_messages = InboundMessage::unsupported(&kind, None);
    if let (Some(first), Some(details)) = (inbound_messages.first_mut(), details) {
        first.add("unsupported_details", details);
    }
    inbound_messages
}
