//! Converts messages of Messenger or Instagram to inbound messages.

use serde_json::{Value, json};

use crate::file_names::name_in;
use crate::inbound_message::{InboundMessage, Media, MediaSource};
use crate::json_lookup;

/// Returns the text of a message, followed by each of its attachments.
pub(super) fn inbound_messages(message: &Value) -> Vec<InboundMessage> {
    let text = json_lookup::text(&message["text"]);
    let mut inbound_messages = text.map(|text| InboundMessage::text(&text)).unwrap_or_default();
    let attachments = json_lookup::list(&message["attachments"]);
    inbound_messages.extend(attachments.iter().flat_map(attached));
    if inbound_messages.is_empty() {
        inbound_messages = InboundMessage::unsupported("message", None);
    }
    if let Some(first) = inbound_messages.first_mut() {
        let reply = &message["reply_to"];
        first.reply_to = json_lookup::text(&reply["mid"]);
        if reply["story"].is_object() {
            first.add("replied_story", reply["story"].clone());
        }
        if message["referral"].is_object() {
            first.add("referral", message["referral"].clone());
        }
    }
    inbound_messages
}

fn attached(attachment: &Value) -> Vec<InboundMessage> {
    let kind = json_lookup::text(&attachment["type"]).unwrap_or_else(|| "attachment".to_owned());
    let payload = &attachment["payload"];
    let url =
        json_lookup::any_text(payload, &["url"]).or_else(|| json_lookup::text(&attachment["url"]));
    let title =
        json_lookup::text(&payload["title"]).or_else(|| json_lookup::text(&attachment["title"]));
    let made = match (kind.as_str(), url) {
        ("image", Some(url)) => Some(file(url, "image.jpg", "image/jpeg")),
        ("video", Some(url)) => Some(file(url, "video.mp4", "video/mp4")),
        ("audio", Some(url)) => Some(file(url, "audio.mp4", "audio/mp4")),
        ("sticker", Some(url)) => Some(file(url, "sticker.png", "image/png")),
        ("file", Some(url)) => Some(file(url, "file", "")),
        ("story_mention", Some(url)) => Some(story(url)),
        ("location", _) => place(payload, attachment),
        // Shared content of the provider: post its title and address as text.
        ("fallback" | "share" | "ig_reel" | "reel" | "post" | "ig_post", Some(url)) => {
            let lines = [title.clone(), Some(url)];
            Some(InboundMessage::text(&lines.into_iter().flatten().collect::<Vec<_>>().join("\n")))
        }
        _ => None,
    };
    made.unwrap_or_else(|| InboundMessage::unsupported(&kind, title.as_deref()))
}

fn file(url: String, name: &str, mime_type: &str) -> Vec<InboundMessage> {
    let named = json_lookup::name(&name_in(&url).into()).filter(|_| name == "file");
    let mut media = Media::new(MediaSource::Url(url), named.as_deref().unwrap_or(name));
    media.mime_type = Some(mime_type.to_owned()).filter(|it| !it.is_empty());
    InboundMessage::file(media)
}

/// Creates a message for a story that mentions the business. Meta forbids storing the story.
fn story(url: String) -> Vec<InboundMessage> {
    let mut media = Media::new(MediaSource::Url(url), "story");
    media.must_not_be_kept = true;
    let mut inbound_messages = InboundMessage::file(media);
    inbound_messages.iter_mut().for_each(|it| it.add("is_story_mention", true));
    inbound_messages
}

fn place(payload: &Value, attachment: &Value) -> Option<Vec<InboundMessage>> {
    let coordinates = &payload["coordinates"];
    let place = json!({"latitude": coordinates["lat"], "longitude": coordinates["long"]});
    InboundMessage::location(&place, &attachment["title"], &Value::Null)
}
