//! Converts Telegram messages to inbound messages.

use serde_json::Value;

use crate::inbound_message::{InboundMessage, Media, MediaSource};
use crate::json_lookup;

/// Keys of a message that contain a file, with a default file name and MIME type. The first key
/// found is used, because a message with an animation also has a `document`.
const FILES: [(&str, &str, &str); 8] = [
    ("animation", "animation.mp4", "video/mp4"),
    ("document", "document", ""),
    ("audio", "audio.mp3", "audio/mpeg"),
    ("voice", "voice.ogg", "audio/ogg"),
    ("video", "video.mp4", "video/mp4"),
    ("video_note", "video.mp4", "video/mp4"),
    ("sticker", "sticker.webp", "image/webp"),
    ("live_photo", "photo.mp4", "video/mp4"),
];

/// Keys of a message whose content Confab does not support.
const UNSUPPORTED: [&str; 13] = [
    "story",
    "game",
    "invoice",
    "successful_payment",
    "refunded_payment",
    "paid_media",
    "giveaway",
    "giveaway_winners",
    "checklist",
    "gift",
    "unique_gift",
    "passport_data",
    "web_app_data",
];

/// Returns the content of a Telegram message; empty for a notice about the chat, such as a pinned
/// message.
pub(super) fn inbound_messages(message: &Value, chat: &str) -> Vec<InboundMessage> {
    let mut inbound_messages = content(message);
    let replied = &message["reply_to_message"]["message_id"];
    if let Some(first) = inbound_messages.first_mut() {
        first.reply_to = message_id(chat, replied);
    }
    let album = json_lookup::text(&message["media_group_id"]);
    let is_forwarded = message["forward_origin"].is_object();
    for saying in &mut inbound_messages {
        if let Some(album) = &album {
            saying.add("media_group_id", album.as_str());
        }
        if is_forwarded {
            saying.add("is_forwarded", true);
        }
    }
    inbound_messages
}

/// Combines a message id with the id of its chat, because message ids are unique only within a
/// chat.
pub(super) fn message_id(chat: &str, id: &Value) -> Option<String> {
    json_lookup::text(id).map(|id| format!("{chat}:{id}"))
}

fn content(message: &Value) -> Vec<InboundMessage> {
    if let Some(text) = json_lookup::text(&message["text"]) {
        return InboundMessage::text(&text);
    }
    if let Some(media) = file(message) {
        let mut inbound_messages = InboundMessage::file(media);
        let emoji = json_lookup::text(&message["sticker"]["emoji"]);
        if let (Some(first), Some(emoji)) = (inbound_messages.first_mut(), emoji) {
            first.add("sticker", emoji);
        }
        return inbound_messages;
    }
    let venue = &message["venue"];
    let place = if venue.is_object() { &venue["location"] } else { &message["location"] };
    if let Some(place) = InboundMessage::location(place, &venue["title"], &venue["address"]) {
        return place;
    }
    if let Some(contact) = contact(&message["contact"]) {
        return vec![contact];
    }
    if message["poll"].is_object() {
        return InboundMessage::unsupported(
            "poll",
            json_lookup::text(&message["poll"]["question"]).as_deref(),
        );
    }
    if let Some(value) = json_lookup::text(&message["dice"]["value"]) {
        let emoji = json_lookup::text(&message["dice"]["emoji"]).unwrap_or_else(|| "🎲".to_owned());
        return InboundMessage::text(&format!("{emoji} {value}"));
    }
    unsupported(message)
}

/// Creates a text that names unsupported content. A message without any supported key is either a
/// notice about the chat or content that Telegram introduced later; a caption or an unknown key
/// indicates the latter.
fn unsupported(message: &Value) -> Vec<InboundMessage> {
    let has = |key: &&str| !message[*key].is_null();
    let caption = json_lookup::text(&message["caption"]);
    match UNSUPPORTED.into_iter().find(has) {
        Some(kind) => InboundMessage::unsupported(kind, caption.as_deref()),
        None if caption.is_some() || is_new_content(message) => {
            InboundMessage::unsupported("unknown", caption.as_deref())
        }
        None => Vec::new(),
    }
}

/// Whether a message has a key that is neither common to all messages nor part of a notice.
fn is_new_content(message: &Value) -> bool {
    const KNOWN: [&str; 34] = [
        "message_id",
        "message_thread_id",
        "direct_messages_topic",
        "from",
        "sender_chat",
        "sender_boost_count",
        "sender_business_bot",
        "date",
        "business_connection_id",
        "chat",
        "forward_origin",
        "is_topic_message",
        "is_automatic_forward",
        "reply_to_message",
        "external_reply",
        "quote",
        "reply_to_story",
        "via_bot",
        "edit_date",
        "has_protected_content",
        "is_from_offline",
        "media_group_id",
        "author_signature",
        "link_preview_options",
        "effect_id",
        "reply_markup",
        "pinned_message",
        "message_auto_delete_timer_changed",
        "chat_background_set",
        "connected_website",
        "write_access_allowed",
        "users_shared",
        "chat_shared",
        "boost_added",
    ];
    let keys = message.as_object().map(|it| it.keys()).into_iter().flatten();
    let mut own = keys.filter(|key| !KNOWN.contains(&key.as_str()));
    own.any(|key| {
        !["video_chat", "forum_", "general_", "proximity_"].iter().any(|it| key.starts_with(it))
    })
}

fn file(message: &Value) -> Option<Media> {
    let mut media = photo(&message["photo"]).or_else(|| {
        FILES.into_iter().find_map(|(key, name, mime)| one_file(&message[key], name, mime))
    })?;
    media.caption = json_lookup::text(&message["caption"]).unwrap_or_default();
    Some(media)
}

/// Returns the largest of the sizes in which Telegram provides a photo.
fn photo(sizes: &Value) -> Option<Media> {
    let area = |size: &&Value| {
        let sides = ["width", "height"].map(|side| json_lookup::size(&size[side]).unwrap_or(0));
        sides[0].saturating_mul(sides[1])
    };
    let largest = json_lookup::list(sizes).iter().max_by_key(area)?;
    one_file(largest, "photo.jpg", "image/jpeg")
}

fn one_file(file: &Value, name: &str, mime_type: &str) -> Option<Media> {
    let source = MediaSource::Id(json_lookup::text(&file["file_id"])?);
    let (name, mime_type) = match () {
        () if json_lookup::is_true(&file["is_animated"]) => {
            ("sticker.tgs", "application/x-tgsticker")
        }
        () if json_lookup::is_true(&file["is_video"]) => ("sticker.webm", "video/webm"),
        () => (name, mime_type),
    };
    let file_name = json_lookup::name(&file["file_name"]).unwrap_or_else(|| name.to_owned());
    let given = json_lookup::text(&file["mime_type"]);
    let mime_type = given.or_else(|| Some(mime_type.to_owned()).filter(|it| !it.is_empty()));
    let bytes = json_lookup::size(&file["file_size"]);
    Some(Media { mime_type, bytes, ..Media::new(source, file_name) })
}

fn contact(contact: &Value) -> Option<InboundMessage> {
    let number = json_lookup::text(&contact["phone_number"])?;
    let names = ["first_name", "last_name"].map(|key| json_lookup::name(&contact[key]));
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let name = if name.is_empty() { number.clone() } else { name };
    Some(InboundMessage::contact_person(&name, "phone", &number))
}
