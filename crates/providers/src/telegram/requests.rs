//! Requests to Telegram's Bot API.

use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::support::conversations::answering::Answerer;
use serde_json::{Map, Value, json};

use crate::buttons::{PartButton, button_key};
use crate::credentials::{CredentialName, Credentials};
use crate::file_names::picture_at;
use crate::part::{Destination, Part, PartContent};
use crate::parting::{self, PartBounds};
use crate::splitting::Bound;
use crate::step::{Method, Purpose, Step, TOKEN, UploadedFile};
use crate::verdict::Verdict;

pub(super) const BOT_TOKEN: &str = "bot_token";
pub(super) const HOOK_SECRET: &str = "webhook_secret";

/// Names of the credentials of a Telegram channel. Confab generates the webhook secret, for which
/// Telegram allows 1 to 256 letters, digits, `_` and `-`.
pub const NAMES: &[CredentialName] =
    &[CredentialName::secret(BOT_TOKEN), CredentialName::secret(HOOK_SECRET).or_absent()];

/// Maximum size in bytes of a file that a bot can fetch from `api.telegram.org`. A self-hosted Bot
/// API server has no such limit.
pub const FETCHED_BYTES_MAX: u64 = 20 * MB;
const MB: u64 = 1024 * 1024;
const PHOTO_BYTES_MAX: u64 = 10 * MB;
const FILE_BYTES_MAX: u64 = 50 * MB;

const BOUNDS: PartBounds = PartBounds {
    text: Bound::utf16(4096),
    caption: Bound::utf16(1024),
    is_bare: |_| false,
    button_text: Bound::utf16(4096),
    card_text: Bound::utf16(1024),
    buttons_max: 100,
    card_buttons_max: 100,
    linking_buttons_max: usize::MAX,
    has_templates: false,
    has_phones: true,
    has_locations: true,
};

pub fn parts(message: &Message, answerer: Answerer) -> Vec<Part> {
    parting::parts(message, answerer, &BOUNDS)
}

/// Returns the part that edits a message; empty unless the message is a text that fits into a
/// single Telegram message.
pub fn edit_parts(message: &Message, answerer: Answerer) -> Vec<Part> {
    let is_text = matches!(message.kind, MessageKind::Text | MessageKind::Reply);
    match BOUNDS.text.pieces(&message.text)[..] {
        [text] if is_text => {
            parting::change(message, answerer, PartContent::Edit { text: text.to_owned() })
        }
        _ => Vec::new(),
    }
}

pub fn delete_parts(message: &Message, answerer: Answerer) -> Vec<Part> {
    parting::change(message, answerer, PartContent::Delete)
}

/// Returns the request that calls a method of the Bot API.
pub(super) fn call(purpose: Purpose, method: &str, body: Value, credentials: &Credentials) -> Step {
    let step = Step::post(purpose, format!("/bot{TOKEN}/{method}"), body);
    step.with_token(credentials.secret(BOT_TOKEN))
}

/// Returns the request that sends a part. `parse_mode` is never set, so Telegram does not interpret
/// markup in texts.
pub fn steps(
    part: &Part,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Vec<Step>, Verdict> {
    let mut body = Map::new();
    body.insert("chat_id".to_owned(), numeric(&destination.address.value));
    if let Some((_, id)) = destination.reply_to.and_then(|it| it.rsplit_once(':')) {
        // The customer may have deleted the replied message.
        let reply = json!({"message_id": numeric(id), "allow_sending_without_reply": true});
        body.insert("reply_parameters".to_owned(), reply);
    }
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    let method = match &part.say {
        PartContent::Text { text } => {
            put("text", text.as_str().into());
            "sendMessage"
        }
        PartContent::Buttons { text, image, buttons } => {
            put("reply_markup", keyboard(part.message, buttons));
            match image {
                Some(url) => {
                    put("caption", text.as_str().into());
                    let (name, mime_type) = picture_at(url);
                    let picture = File { url, name: &name, mime_type };
                    return Ok(vec![sent_file(body, &picture, destination, credentials)?]);
                }
                None => put("text", text.as_str().into()),
            }
            "sendMessage"
        }
        PartContent::File { url, name, mime_type, caption } => {
            if !caption.is_empty() {
                put("caption", caption.as_str().into());
            }
            let file = File { url, name, mime_type };
            return Ok(vec![sent_file(body, &file, destination, credentials)?]);
        }
        PartContent::Location { latitude, longitude, name, address } => {
            put("latitude", json!(latitude));
            put("longitude", json!(longitude));
            if name.is_empty() && address.is_empty() {
                "sendLocation"
            } else {
                let title = if name.is_empty() { address } else { name };
                put("title", title.as_str().into());
                let address = if address.is_empty() { name } else { address };
                put("address", address.as_str().into());
                "sendVenue"
            }
        }
        PartContent::Phone { name, number } => {
            put("phone_number", number.as_str().into());
            put("first_name", name.as_str().into());
            "sendContact"
        }
        PartContent::Edit { text } => {
            put("message_id", target(destination)?);
            put("text", text.as_str().into());
            "editMessageText"
        }
        PartContent::Delete => {
            put("message_id", target(destination)?);
            "deleteMessage"
        }
        PartContent::Template { .. } | PartContent::Unsayable { .. } => {
            return Err(Verdict::never("unsupported", "Telegram cannot show this message."));
        }
    };
    Ok(vec![call(Purpose::Say, method, body.into(), credentials)])
}

/// Converts an id to a number, as the API expects for chats and messages.
fn numeric(id: &str) -> Value {
    id.parse::<i64>().map_or_else(|_| id.into(), Value::from)
}

fn target(destination: &Destination<'_>) -> Result<Value, Verdict> {
    let id = destination.target.and_then(|it| it.rsplit_once(':')).map(|(_, id)| numeric(id));
    id.ok_or_else(|| Verdict::never("not_sent", "The message was never sent to Telegram."))
}

/// Builds a keyboard with one row per button, so that labels are readable on phones.
fn keyboard(message: i64, buttons: &[PartButton]) -> Value {
    let key = |button: &PartButton| match &button.url {
        Some(url) => json!({"text": button.label, "url": url}),
        None => json!({
            "text": button.label, "callback_data": button_key(message, button.place),
        }),
    };
    let rows: Vec<Value> = buttons.iter().map(|button| json!([key(button)])).collect();
    json!({"inline_keyboard": rows})
}

struct File<'a> {
    url: &'a str,
    name: &'a str,
    mime_type: &'a str,
}

/// Returns the request that sends a file: a stored file is uploaded, any other is sent by its URL.
fn sent_file(
    mut body: Map<String, Value>,
    file: &File<'_>,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Step, Verdict> {
    let facts = destination.file;
    let bytes = facts.and_then(|it| it.bytes).unwrap_or(0);
    if bytes > FILE_BYTES_MAX {
        return Err(Verdict::never("too_large", "Telegram accepts files of at most 50 MB."));
    }
    let mime_type = facts.and_then(|it| it.mime_type).unwrap_or(file.mime_type);
    let (method, field) = match mime_type {
        "image/jpeg" | "image/png" | "image/webp" if bytes <= PHOTO_BYTES_MAX => {
            ("sendPhoto", "photo")
        }
        "image/gif" => ("sendAnimation", "animation"),
        "video/mp4" => ("sendVideo", "video"),
        "audio/mpeg" | "audio/mp4" => ("sendAudio", "audio"),
        "audio/ogg" => ("sendVoice", "voice"),
        _ => ("sendDocument", "document"),
    };
    if !facts.is_some_and(|it| it.is_ours) {
        body.insert(field.to_owned(), file.url.into());
        return Ok(call(Purpose::Say, method, body.into(), credentials));
    }
    let written = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let known = ["caption", "chat_id", "reply_markup", "reply_parameters"];
    let fields = known.into_iter().filter_map(|key| Some((key, written(body.remove(key)?))));
    let file = UploadedFile {
        field,
        url: file.url.to_owned(),
        name: file.name.to_owned(),
        mime_type: mime_type.to_owned(),
    };
    let step = Step::new(Purpose::Say, Method::Post, format!("/bot{TOKEN}/{method}"));
    let step = step.with_token(credentials.secret(BOT_TOKEN));
    Ok(step.with_file(fields.collect(), file))
}

/// Returns the request that shows a typing indicator for five seconds, or until the next message.
pub fn typing(destination: &Destination<'_>, credentials: &Credentials) -> Vec<Step> {
    let body = json!({"chat_id": numeric(&destination.address.value), "action": "typing"});
    vec![call(Purpose::Courtesy, "sendChatAction", body, credentials)]
}

/// Returns the requests for the bot's account and its webhook.
pub fn check(credentials: &Credentials) -> Vec<Step> {
    let asked = |method| call(Purpose::Check, method, json!({}), credentials);
    vec![asked("getMe"), asked("getWebhookInfo")]
}
