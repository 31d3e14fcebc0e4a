//! Requests to LINE's Messaging API.

use confab_domain::messages::message::Message;
use confab_domain::support::conversations::answering::Answerer;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::buttons::{PartButton, button_key};
use crate::credentials::{CredentialName, Credentials};
use crate::inbound_message::{Media, MediaSource};
use crate::json_lookup;
use crate::part::{Destination, Part, PartContent};
use crate::parting::{self, PartBounds};
use crate::provider_event::{Contact, ExternalId, ProviderEvent};
use crate::splitting::Bound;
use crate::step::{Method, ProviderHost, Purpose, Step, escaped};
use crate::verdict::Verdict;

const ACCESS_TOKEN: &str = "access_token";
pub(super) const SECRET_KEY: &str = "secret_key";

/// Names of the credentials of a LINE channel.
pub const NAMES: &[CredentialName] =
    &[CredentialName::secret(ACCESS_TOKEN), CredentialName::secret(SECRET_KEY)];

/// Maximum size in bytes of a customer's file that is fetched from LINE.
pub const FETCHED_BYTES_MAX: u64 = 1024 * MB;
const MB: u64 = 1024 * 1024;
const IMAGE_BYTES_MAX: u64 = 10 * MB;

const LABEL: Bound = Bound::utf16(20);
const DISPLAY_TEXT: Bound = Bound::utf16(300);
const PLACE: Bound = Bound::utf16(100);
const ALT_TEXT: Bound = Bound::utf16(400);
const TEMPLATE_BUTTONS_MAX: usize = 4;
const LOADING_S: u32 = 20;

const BOUNDS: PartBounds = PartBounds {
    text: Bound::utf16(5000),
    caption: Bound::utf16(0),
    // A caption is a separate message.
    is_bare: |_| true,
    button_text: Bound::utf16(160),
    card_text: Bound::utf16(60),
    buttons_max: 13,
    card_buttons_max: TEMPLATE_BUTTONS_MAX,
    linking_buttons_max: TEMPLATE_BUTTONS_MAX,
    has_templates: false,
    has_phones: false,
    has_locations: true,
};

pub fn parts(message: &Message, answerer: Answerer) -> Vec<Part> {
    parting::parts(message, answerer, &BOUNDS)
}

fn get(purpose: Purpose, path: impl Into<String>, credentials: &Credentials) -> Step {
    Step::new(purpose, Method::Get, path).with_bearer(credentials.secret(ACCESS_TOKEN))
}

fn post(purpose: Purpose, path: &str, body: Value, credentials: &Credentials) -> Step {
    Step::post(purpose, path, body).with_bearer(credentials.secret(ACCESS_TOKEN))
}

/// Returns the request that sends a part: a reply if there is a reply token, otherwise a push
/// message. A reply is free, but is possible only once and within about a minute. A push message
/// counts against the monthly quota, and can be repeated safely because of its retry key.
pub fn steps(
    part: &Part,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Vec<Step>, Verdict> {
    let message = message(part, destination)?;
    let step = match destination.reply_token {
        Some(token) => {
            let body = json!({"replyToken": token, "messages": [message]});
            post(Purpose::Say, "/v2/bot/message/reply", body, credentials)
        }
        None => {
            let body = json!({"to": destination.address.value, "messages": [message]});
            let push = post(Purpose::Say, "/v2/bot/message/push", body, credentials);
            push.with_header("x-line-retry-key", retry_key(part, destination.delivery))
        }
    };
    Ok(vec![step])
}

/// Returns the retry key of a delivery: a UUID that is the same for every attempt.
fn retry_key(part: &Part, delivery: i64) -> String {
    let digest = Sha256::digest(part.tag(delivery).written().as_bytes());
    let mut bytes: [u8; 16] = std::array::from_fn(|at| digest[at]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let cuts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    cuts.map(|(from, to)| &hex[from..to]).join("-")
}

fn message(part: &Part, destination: &Destination<'_>) -> Result<Value, Verdict> {
    Ok(match &part.say {
        PartContent::Text { text } => json!({"type": "text", "text": text}),
        PartContent::File { url, name, mime_type, .. } => file(url, name, mime_type, destination),
        PartContent::Buttons { text, image, buttons } => {
            with_buttons(part.message, text, image.as_deref(), buttons)
        }
        PartContent::Location { latitude, longitude, name, address } => {
            let or = |text: &str, other: &str| match (text, other) {
                ("", "") => "…".to_owned(),
                ("", other) => PLACE.cut(other),
                (text, _) => PLACE.cut(text),
            };
            json!({
                "type": "location", "title": or(name, address), "address": or(address, name),
                "latitude": latitude, "longitude": longitude,
            })
        }
        PartContent::Phone { .. }
        | PartContent::Template { .. }
        | PartContent::Edit { .. }
        | PartContent::Delete
        | PartContent::Unsayable { .. } => {
            return Err(Verdict::never("unsupported", "LINE cannot show this message."));
        }
    })
}

/// Builds a message with a picture, or with a link to any other file. Phones download the picture
/// themselves, repeatedly and only by HTTPS. Audio and video files are links, too, because LINE
/// requires data that is not known here, such as their duration.
fn file(url: &str, name: &str, mime_type: &str, destination: &Destination<'_>) -> Value {
    let facts = destination.file;
    let mime_type = facts.and_then(|it| it.mime_type).unwrap_or(mime_type);
    let fits = facts.and_then(|it| it.bytes).unwrap_or(0) <= IMAGE_BYTES_MAX;
    let is_picture = matches!(mime_type, "image/jpeg" | "image/png");
    if is_picture && fits && url.starts_with("https://") {
        json!({"type": "image", "originalContentUrl": url, "previewImageUrl": url})
    } else {
        json!({"type": "text", "text": format!("{name}\n{url}")})
    }
}

/// Builds a message with buttons. Up to four buttons stay below the text permanently; more than
/// four are quick replies, which disappear with the next message.
fn with_buttons(message: i64, text: &str, image: Option<&str>, buttons: &[PartButton]) -> Value {
    let action = |button: &PartButton| match &button.url {
        Some(url) => json!({"type": "uri", "label": LABEL.cut(&button.label), "uri": url}),
        None => json!({
            "type": "postback", "label": LABEL.cut(&button.label),
            "data": button_key(message, button.place),
            "displayText": DISPLAY_TEXT.cut(&button.label),
        }),
    };
    if buttons.len() > TEMPLATE_BUTTONS_MAX {
        let item = |button: &PartButton| json!({"type": "action", "action": action(button)});
        let items: Vec<_> = buttons.iter().map(item).collect();
        return json!({"type": "text", "text": text, "quickReply": {"items": items}});
    }
    let actions: Vec<_> = buttons.iter().map(action).collect();
    let mut template = json!({"type": "buttons", "text": text, "actions": actions});
    if let Some(url) = image.filter(|it| it.starts_with("https://")) {
        template["thumbnailImageUrl"] = url.into();
    }
    json!({"type": "template", "altText": ALT_TEXT.cut(text), "template": template})
}

/// Returns the request that downloads a customer's file from LINE's data host. Status 202 means
/// that a video is still being transcoded.
pub fn fetch(media: &Media, credentials: &Credentials) -> Vec<Step> {
    match &media.source {
        MediaSource::Id(id) => {
            let path = format!("/v2/bot/message/{}/content", escaped(id));
            vec![get(Purpose::Fetch, path, credentials).with_host(ProviderHost::Data)]
        }
        MediaSource::Url(url) => vec![Step::fetching(url)],
    }
}

/// Returns the request that sends a read receipt. There is none if LINE sends read receipts itself,
/// depending on the account's settings.
pub fn acknowledge(event: &ProviderEvent, credentials: &Credentials) -> Vec<Step> {
    let body = json_lookup::value(event.body.as_str()).unwrap_or(Value::Null);
    let Some(token) = json_lookup::text(&body["events"][0]["message"]["markAsReadToken"]) else {
        return Vec::new();
    };
    let body = json!({"markAsReadToken": token});
    vec![post(Purpose::Courtesy, "/v2/bot/chat/markAsRead", body, credentials)]
}

pub fn typing(destination: &Destination<'_>, credentials: &Credentials) -> Vec<Step> {
    let body = json!({"chatId": destination.address.value, "loadingSeconds": LOADING_S});
    vec![post(Purpose::Courtesy, "/v2/bot/chat/loading/start", body, credentials)]
}

/// Returns the request for a customer's profile, because LINE's events do not contain the name.
pub fn profile(contact: &Contact, credentials: &Credentials) -> Vec<Step> {
    let path = |id: &ExternalId| format!("/v2/bot/profile/{}", escaped(&id.value));
    contact.address().map(|id| get(Purpose::Locate, path(id), credentials)).into_iter().collect()
}

/// Returns the requests for the account, its webhook URL, its monthly quota and its usage.
pub fn check(credentials: &Credentials) -> Vec<Step> {
    let paths = [
        "/v2/bot/info",
        "/v2/bot/channel/webhook/endpoint",
        "/v2/bot/message/quota",
        "/v2/bot/message/quota/consumption",
    ];
    paths.map(|path| get(Purpose::Check, path, credentials)).into()
}

/// Returns the request that sets the URL to which LINE sends events. "Use webhook" must also be
/// switched on in LINE's console.
pub fn set_hook(url: &str, credentials: &Credentials) -> Step {
    let path = "/v2/bot/channel/webhook/endpoint";
    post(Purpose::SetUp, path, json!({"endpoint": url}), credentials).with_method(Method::Put)
}
