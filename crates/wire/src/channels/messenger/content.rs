//! What a message of Messenger or Instagram says, as messages of ours.

use serde_json::{Value, json};

use crate::channels::file_names::name_in;
use crate::channels::looking;
use crate::channels::saying::{Media, MediaSource, Saying};

/// The text, then each attachment.
pub(super) fn sayings(message: &Value) -> Vec<Saying> {
    let text = looking::text(&message["text"]);
    let mut sayings = text.map(|text| Saying::text(&text)).unwrap_or_default();
    let attachments = looking::list(&message["attachments"]);
    sayings.extend(attachments.iter().flat_map(attached));
    if sayings.is_empty() {
        sayings = Saying::unsupported("message", None);
    }
    if let Some(first) = sayings.first_mut() {
        let reply = &message["reply_to"];
        first.reply_to = looking::text(&reply["mid"]);
        if reply["story"].is_object() {
            first.add("replied_story", reply["story"].clone());
        }
        if message["referral"].is_object() {
            first.add("referral", message["referral"].clone());
        }
    }
    sayings
}

fn attached(attachment: &Value) -> Vec<Saying> {
    let kind = looking::text(&attachment["type"]).unwrap_or_else(|| "attachment".to_owned());
    let payload = &attachment["payload"];
    let url = looking::any_text(payload, &["url"]).or_else(|| looking::text(&attachment["url"]));
    let title = looking::text(&payload["title"]).or_else(|| looking::text(&attachment["title"]));
    let made = match (kind.as_str(), url) {
        ("image", Some(url)) => Some(file(url, "image.jpg", "image/jpeg")),
        ("video", Some(url)) => Some(file(url, "video.mp4", "video/mp4")),
        ("audio", Some(url)) => Some(file(url, "audio.mp4", "audio/mp4")),
        ("sticker", Some(url)) => Some(file(url, "sticker.png", "image/png")),
        ("file", Some(url)) => Some(file(url, "file", "")),
        ("story_mention", Some(url)) => Some(story(url)),
        ("location", _) => place(payload, attachment),
        // Something of the provider's is passed on: where it is can be said.
        ("fallback" | "share" | "ig_reel" | "reel" | "post" | "ig_post", Some(url)) => {
            let lines = [title.clone(), Some(url)];
            Some(Saying::text(&lines.into_iter().flatten().collect::<Vec<_>>().join("\n")))
        }
        _ => None,
    };
    made.unwrap_or_else(|| Saying::unsupported(&kind, title.as_deref()))
}

fn file(url: String, name: &str, mime_type: &str) -> Vec<Saying> {
    let named = looking::name(&name_in(&url).into()).filter(|_| name == "file");
    let mut media = Media::new(MediaSource::Url(url), named.as_deref().unwrap_or(name));
    media.mime_type = Some(mime_type.to_owned()).filter(|it| !it.is_empty());
    Saying::file(media)
}

/// Meta forbids keeping it.
fn story(url: String) -> Vec<Saying> {
    let mut media = Media::new(MediaSource::Url(url), "story");
    media.must_not_be_kept = true;
    let mut sayings = Saying::file(media);
    sayings.iter_mut().for_each(|it| it.add("is_story_mention", true));
    sayings
}

fn place(payload: &Value, attachment: &Value) -> Option<Vec<Saying>> {
    let coordinates = &payload["coordinates"];
    let place = json!({"latitude": coordinates["lat"], "longitude": coordinates["long"]});
    Saying::location(&place, &attachment["title"], &Value::Null)
}
