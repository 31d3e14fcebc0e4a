//! Requests to WhatsApp's Cloud API (channel facts 3.4).

use confab_domain::messages::message::Message;
use confab_domain::support::conversations::answering::Answerer;
use serde_json::{Value, json};

use crate::buttons::{PartButton, button_key};
use crate::credentials::{CredentialName, Credentials};
use crate::file_names::picture_at;
use crate::inbound_message::{Media, MediaSource};
use crate::meta::{self, ACCESS_TOKEN, VERIFY_TOKEN};
use crate::part::{Destination, Part, PartContent};
use crate::parting::{self, PartBounds};
use crate::provider_event::{EventContent, IdKind, ProviderEvent};
use crate::splitting::Bound;
use crate::step::{Method, Purpose, Slot, Step, UploadedFile, escaped};
use crate::verdict::Verdict;

const PHONE_NUMBER_ID: &str = "phone_number_id";
const BUSINESS_ID: &str = "business_id";

/// Names of the credentials of a WhatsApp channel. The business account's id is needed only for
/// templates, for checking subscriptions, and for a webhook URL of the channel's own.
pub const NAMES: &[CredentialName] = &[
    meta::ACCESS,
    meta::SECRET,
    meta::VERIFY,
    CredentialName::plain(PHONE_NUMBER_ID),
    CredentialName::plain(BUSINESS_ID).or_absent(),
    meta::VERSION,
];

/// Maximum size in bytes of a customer's file that is fetched from WhatsApp.
pub const FETCHED_BYTES_MAX: u64 = 100 * MB;
const MB: u64 = 1024 * 1024;
const IMAGE_BYTES_MAX: u64 = 5 * MB;
const STICKER_BYTES_MAX: u64 = 100 * 1024;
const SOUND_BYTES_MAX: u64 = 16 * MB;
const DOCUMENT_BYTES_MAX: u64 = 100 * MB;

const TITLE: Bound = Bound::utf16(20);
const ROW_TITLE: Bound = Bound::utf16(24);
const ROW_DESCRIPTION: Bound = Bound::utf16(72);
const REPLY_BUTTONS_MAX: usize = 3;
const LIST_BUTTON: &str = "Menu";
const TEMPLATES_PER_PAGE: u32 = 100;

const BOUNDS: PartBounds = PartBounds {
    text: Bound::utf16(4096),
    caption: Bound::utf16(1024),
    is_bare: |mime_type| mime_type.starts_with("audio/") || mime_type == "image/webp",
    button_text: Bound::utf16(1024),
    card_text: Bound::utf16(1024),
    buttons_max: 10,
    card_buttons_max: REPLY_BUTTONS_MAX,
    linking_buttons_max: 1,
    has_templates: true,
    has_phones: true,
    has_locations: true,
};

pub fn parts(message: &Message, answerer: Answerer) -> Vec<Part> {
    parting::parts(message, answerer, &BOUNDS)
}

fn number_path(credentials: &Credentials, what: &str) -> String {
    meta::path(credentials, &[credentials.plain(PHONE_NUMBER_ID), what])
}

pub(super) fn post(purpose: Purpose, credentials: &Credentials, body: Value) -> Step {
    let step = Step::post(purpose, number_path(credentials, "messages"), body);
    step.with_bearer(credentials.secret(ACCESS_TOKEN))
}

pub(super) fn get(purpose: Purpose, credentials: &Credentials, path: String) -> Step {
    Step::new(purpose, Method::Get, path).with_bearer(credentials.secret(ACCESS_TOKEN))
}

/// Returns the requests that send a part. After WhatsApp's 24-hour customer service window closes,
/// only a template is sent (channel facts 1, rule 10).
pub fn steps(
    part: &Part,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Vec<Step>, Verdict> {
    if !destination.is_window_open && !matches!(part.say, PartContent::Template { .. }) {
        return Err(Verdict::WindowClosed);
    }
    let kept = |content: Content| {
        let Content { kind, body, file } = content;
        let mut whole = json!({
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "type": kind,
            "biz_opaque_callback_data": part.tag(destination.delivery).written(),
            kind: body,
        });
        let to = match destination.address.kind {
            IdKind::BusinessScoped | IdKind::ParentScoped => "recipient",
            _ => "to",
        };
        whole[to] = destination.address.value.as_str().into();
        if let Some(replied) = destination.reply_to {
            whole["context"] = json!({"message_id": replied});
        }
        let say = post(Purpose::Say, credentials, whole);
        match file {
            Some((upload, slot)) => vec![uploading(upload, credentials), say.taking(slot)],
            None => vec![say],
        }
    };
    content(part, destination).map(kept)
}

/// Content of a message, and the file that is uploaded first.
struct Content {
    kind: &'static str,
    body: Value,
    file: Option<(UploadedFile, Slot)>,
}

fn content(part: &Part, destination: &Destination<'_>) -> Result<Content, Verdict> {
    let plain = |kind, body| Content { kind, body, file: None };
    Ok(match &part.say {
        PartContent::Text { text } => plain("text", json!({"body": text, "preview_url": true})),
        PartContent::File { url, name, mime_type, caption } => {
            let file = File { url, name, mime_type };
            return sent_file(&file, caption, destination);
        }
        PartContent::Buttons { text, image, buttons } => {
            let body = interactive(part.message, text, buttons, image.is_some());
            return Ok(with_header(body, image.as_deref(), destination));
        }
        PartContent::Location { latitude, longitude, name, address } => {
            let mut body = json!({"latitude": latitude, "longitude": longitude});
            for (key, text) in [("name", name), ("address", address)] {
                if !text.is_empty() {
                    body[key] = text.as_str().into();
                }
            }
            plain("location", body)
        }
        PartContent::Phone { name, number } => {
            let name = json!({"formatted_name": name, "first_name": name});
            plain("contacts", json!([{"name": name, "phones": [{"phone": number}]}]))
        }
        PartContent::Template { template } => plain("template", template.clone()),
        PartContent::Edit { .. } | PartContent::Delete | PartContent::Unsayable { .. } => {
            return Err(Verdict::never("unsupported", "WhatsApp does not support this operation."));
        }
    })
}

struct File<'a> {
    url: &'a str,
    name: &'a str,
    mime_type: &'a str,
}

impl File<'_> {
    fn uploaded(&self, mime_type: &str) -> UploadedFile {
        UploadedFile {
            field: "file",
            url: self.url.to_owned(),
            name: self.name.to_owned(),
            mime_type: mime_type.to_owned(),
        }
    }
}

/// Builds a message with a file. Files of unsupported types or sizes are sent as documents.
fn sent_file(
    file: &File<'_>,
    caption: &str,
    destination: &Destination<'_>,
) -> Result<Content, Verdict> {
    let facts = destination.file;
    let bytes = facts.and_then(|it| it.bytes).unwrap_or(0);
    if bytes > DOCUMENT_BYTES_MAX {
        return Err(Verdict::never("too_large", "WhatsApp accepts files of at most 100 MB."));
    }
    let mime_type = facts.and_then(|it| it.mime_type).unwrap_or(file.mime_type);
    let has_caption = !caption.is_empty();
    let (kind, slot) = match mime_type.split(';').next().unwrap_or_default().trim() {
        "image/jpeg" | "image/png" if bytes <= IMAGE_BYTES_MAX => ("image", "/image/id"),
        "image/webp" if bytes <= STICKER_BYTES_MAX && !has_caption => ("sticker", "/sticker/id"),
        "audio/aac" | "audio/amr" | "audio/mpeg" | "audio/mp4" | "audio/ogg"
            if bytes <= SOUND_BYTES_MAX && !has_caption =>
        {
            ("audio", "/audio/id")
        }
        "video/mp4" | "video/3gpp" if bytes <= SOUND_BYTES_MAX => ("video", "/video/id"),
        _ => ("document", "/document/id"),
    };
    let is_ours = facts.is_some_and(|it| it.is_ours);
    let mut body = if is_ours { json!({"id": ""}) } else { json!({"link": file.url}) };
    if has_caption {
        body["caption"] = caption.into();
    }
    if kind == "document" {
        body["filename"] = file.name.into();
    }
    let upload = is_ours.then(|| (file.uploaded(mime_type), Slot::Body(slot)));
    Ok(Content { kind, body, file: upload })
}

/// Returns the request that uploads a file. WhatsApp stores the file for 30 days; each attempt
/// uploads it again.
fn uploading(file: UploadedFile, credentials: &Credentials) -> Step {
    let step = Step::new(Purpose::Upload, Method::Post, number_path(credentials, "media"));
    let fields =
        vec![("messaging_product", "whatsapp".to_owned()), ("type", file.mime_type.clone())];
    step.with_bearer(credentials.secret(ACCESS_TOKEN)).with_file(fields, file).giving("/id")
}

/// Builds an interactive message: a single link, up to three reply buttons, or a list.
fn interactive(message: i64, text: &str, buttons: &[PartButton], has_image: bool) -> Value {
    if let [PartButton { label, url: Some(url), .. }] = buttons {
        let parameters = json!({"display_text": TITLE.cut(label), "url": url});
        let action = json!({"name": "cta_url", "parameters": parameters});
        return json!({"type": "cta_url", "body": {"text": text}, "action": action});
    }
    let are_short = buttons.iter().all(|it| TITLE.fits(&it.label));
    if buttons.len() <= REPLY_BUTTONS_MAX && (are_short || has_image) {
        let reply = |button: &PartButton| {
            let id = button_key(message, button.place);
            json!({"type": "reply", "reply": {"id": id, "title": TITLE.cut(&button.label)}})
        };
        let buttons: Vec<_> = buttons.iter().map(reply).collect();
        let action = json!({"buttons": buttons});
        return json!({"type": "button", "body": {"text": text}, "action": action});
    }
    let row = |button: &PartButton| {
        let id = button_key(message, button.place);
        let mut row = json!({"id": id, "title": ROW_TITLE.cut(&button.label)});
        if !ROW_TITLE.fits(&button.label) {
            row["description"] = ROW_DESCRIPTION.cut(&button.label).into();
        }
        row
    };
    let rows: Vec<_> = buttons.iter().map(row).collect();
    let action = json!({"button": LIST_BUTTON, "sections": [{"title": LIST_BUTTON, "rows": rows}]});
    json!({"type": "list", "body": {"text": text}, "action": action})
}

/// Adds the picture, if there is one, to an interactive message.
fn with_header(mut body: Value, image: Option<&str>, destination: &Destination<'_>) -> Content {
    let Some(url) = image else { return Content { kind: "interactive", body, file: None } };
    let facts = destination.file.filter(|it| it.is_ours);
    let picture = if facts.is_some() { json!({"id": ""}) } else { json!({"link": url}) };
    body["header"] = json!({"type": "image", "image": picture});
    let file = facts.map(|facts| {
        let (name, guessed) = picture_at(url);
        let mime_type = facts.mime_type.unwrap_or(guessed);
        let file = File { url, name: &name, mime_type };
        (file.uploaded(mime_type), Slot::Body("/interactive/header/image/id"))
    });
    Content { kind: "interactive", body, file }
}

/// Returns the requests that download a file: one for its URL, which is valid for five minutes and
/// requires the same token, and one for its content.
pub fn fetch(media: &Media, credentials: &Credentials) -> Vec<Step> {
    let MediaSource::Id(id) = &media.source else { return Vec::new() };
    let locate = get(Purpose::Locate, credentials, meta::path(credentials, &[id]));
    let fetch = get(Purpose::Fetch, credentials, "/".to_owned());
    vec![locate.giving("/url"), fetch.taking(Slot::Url)]
}

/// Returns the request that sends a read receipt for a message or a button press of the customer.
pub fn acknowledge(event: &ProviderEvent, credentials: &Credentials) -> Vec<Step> {
    let id = match &event.content {
        EventContent::Posted(told) => &told.id,
        EventContent::Pressed(press) => &press.id,
        _ => return Vec::new(),
    };
    let body = json!({"messaging_product": "whatsapp", "status": "read", "message_id": id});
    vec![post(Purpose::Courtesy, credentials, body)]
}

/// Returns the request that shows a typing indicator for 25 seconds, or until the next message. The
/// request also marks `destination.target`, the customer's last message, as read.
pub fn typing(destination: &Destination<'_>, credentials: &Credentials) -> Vec<Step> {
    let Some(last) = destination.target else { return Vec::new() };
    let body = json!({
        "messaging_product": "whatsapp", "status": "read", "message_id": last,
        "typing_indicator": {"type": "text"},
    });
    vec![post(Purpose::Courtesy, credentials, body)]
}

/// Returns the requests for the state of the phone number, and for the apps subscribed to its
/// business account.
pub fn check(credentials: &Credentials) -> Vec<Step> {
    let number = meta::path(credentials, &[credentials.plain(PHONE_NUMBER_ID)]);
    let fields = "display_phone_number,verified_name,quality_rating,throughput,status";
    let mut steps = vec![get(Purpose::Check, credentials, format!("{number}?fields={fields}"))];
    let business = credentials.plain(BUSINESS_ID);
    if !business.is_empty() {
        let path = meta::path(credentials, &[business, "subscribed_apps"]);
        steps.push(get(Purpose::Check, credentials, path));
    }
    steps
}

/// Returns the request that makes Meta send the account's webhooks to `url` instead of the Meta
/// app's URL; `None` if the channel has no business account id.
pub fn subscribe(url: &str, credentials: &Credentials) -> Option<Step> {
    let business = Some(credentials.plain(BUSINESS_ID)).filter(|it| !it.is_empty())?;
    let path = meta::path(credentials, &[business, "subscribed_apps"]);
    let verify_token = credentials.secret(VERIFY_TOKEN);
    let body = json!({"override_callback_uri": url, "verify_token": verify_token.expose()});
    let step = Step::post(Purpose::SetUp, path, body);
    Some(step.with_bearer(credentials.secret(ACCESS_TOKEN)))
}

/// Returns the request for a page of the account's approved templates; `after` is the cursor from
/// the previous page. `None` if the channel has no business account id.
pub fn list_templates(after: Option<&str>, credentials: &Credentials) -> Option<Step> {
    let business = Some(credentials.plain(BUSINESS_ID)).filter(|it| !it.is_empty())?;
    let path = meta::path(credentials, &[business, "message_templates"]);
    let fields = "name,language,status,category,components";
    let mut path = format!("{path}?fields={fields}&status=APPROVED&limit={TEMPLATES_PER_PAGE}");
    if let Some(after) = after {
        path.push_str(&format!("&after={}", escaped(after)));
    }
    Some(get(Purpose::Check, credentials, path))
}
