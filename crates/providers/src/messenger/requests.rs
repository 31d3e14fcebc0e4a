//! Requests to Meta's Send API.

use confab_domain::messages::message::Message;
use confab_domain::support::conversations::answering::Answerer;
use serde_json::{Value, json};

use crate::buttons::{PartButton, button_key};
use crate::credentials::{CredentialName, Credentials};
use crate::inbound_message::{Media, MediaSource};
use crate::meta::{self, ACCESS_TOKEN};
use crate::part::{Destination, Part, PartContent};
use crate::parting::{self, PartBounds};
use crate::provider::Provider;
use crate::provider_event::{Contact, EventContent, ProviderEvent};
use crate::splitting::Bound;
use crate::step::{Method, Purpose, Slot, Step, UploadedFile};
use crate::verdict::Verdict;

const PAGE_ID: &str = "page_id";

/// Names of the credentials of a Messenger channel. The access token belongs to the Facebook page.
pub const MESSENGER_NAMES: &[CredentialName] =
    &[meta::ACCESS, meta::SECRET, meta::VERIFY, CredentialName::plain(PAGE_ID), meta::VERSION];

/// Names of the credentials of an Instagram channel. The access token comes from an Instagram
/// login.
pub const INSTAGRAM_NAMES: &[CredentialName] =
    &[meta::ACCESS, meta::SECRET, meta::VERIFY, meta::VERSION];

/// Maximum size in bytes of a customer's file that is fetched from Messenger or Instagram.
pub const FETCHED_BYTES_MAX: u64 = 100 * MB;
const MB: u64 = 1024 * 1024;
const FILE_BYTES_MAX: u64 = 25 * MB;
const INSTAGRAM_IMAGE_BYTES_MAX: u64 = 8 * MB;

const TITLE: Bound = Bound::utf16(20);
const TEMPLATE_BUTTONS_MAX: usize = 3;

const BOUNDS: PartBounds = PartBounds {
    text: Bound::utf16(2000),
    caption: Bound::utf16(0),
    // One attachment per message; its text is a separate message.
    is_bare: |_| true,
    button_text: Bound::utf16(640),
    // The title and the subtitle of a card have 80 characters each.
    card_text: Bound::utf16(80),
    buttons_max: 13,
    card_buttons_max: TEMPLATE_BUTTONS_MAX,
    linking_buttons_max: TEMPLATE_BUTTONS_MAX,
    has_templates: false,
    has_phones: false,
    has_locations: false,
};

const INSTAGRAM_BOUNDS: PartBounds = PartBounds { text: Bound::bytes(1000), ..BOUNDS };

pub fn parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    let bounds = if provider == Provider::Instagram { &INSTAGRAM_BOUNDS } else { &BOUNDS };
    parting::parts(message, answerer, bounds)
}

/// Returns the account's id in API paths: the page id, or `me` for Instagram.
fn account(provider: Provider, credentials: &Credentials) -> &str {
    if provider == Provider::Instagram { "me" } else { credentials.plain(PAGE_ID) }
}

fn path(provider: Provider, credentials: &Credentials, what: &str) -> String {
    meta::path(credentials, &[account(provider, credentials), what])
}

fn post(purpose: Purpose, provider: Provider, credentials: &Credentials, body: Value) -> Step {
    let step = Step::post(purpose, path(provider, credentials, "messages"), body);
    step.with_bearer(credentials.secret(ACCESS_TOKEN))
}

fn get(purpose: Purpose, path: String, credentials: &Credentials) -> Step {
    Step::new(purpose, Method::Get, path).with_bearer(credentials.secret(ACCESS_TOKEN))
}

/// Returns the requests that send a part. After the 24-hour messaging window closes, only answers
/// of staff are sent, with the tag `HUMAN_AGENT` and only if the channel may use this tag.
pub fn steps(
    provider: Provider,
    part: &Part,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Vec<Step>, Verdict> {
    let mut body = json!({"recipient": {"id": destination.address.value}});
    if destination.is_window_open {
        body["messaging_type"] = "RESPONSE".into();
    } else if destination.may_tag_person && part.is_by_person {
        body["messaging_type"] = "MESSAGE_TAG".into();
        body["tag"] = "HUMAN_AGENT".into();
    } else {
        return Err(Verdict::WindowClosed);
    }
    let (mut message, upload) = message(provider, part, destination)?;
    // Meta's echo of the message contains this tag, which resolves an unknown outcome.
    message["metadata"] = part.tag(destination.delivery).written().into();
    body["message"] = message;
    let say = post(Purpose::Say, provider, credentials, body);
    Ok(match upload {
        Some((kind, file)) => {
            let slot = Slot::Body("/message/attachment/payload/attachment_id");
            vec![uploading(kind, file, provider, credentials), say.taking(slot)]
        }
        None => vec![say],
    })
}

type Upload = (&'static str, UploadedFile);

fn message(
    provider: Provider,
    part: &Part,
    destination: &Destination<'_>,
) -> Result<(Value, Option<Upload>), Verdict> {
    Ok(match &part.say {
        PartContent::Text { text } => (json!({"text": text}), None),
        PartContent::File { url, name, mime_type, .. } => {
            file(provider, destination, url, name, mime_type)
        }
        PartContent::Buttons { text, image, buttons } => {
            (with_buttons(part.message, text, image.as_deref(), buttons), None)
        }
        PartContent::Location { .. }
        | PartContent::Phone { .. }
        | PartContent::Template { .. }
        | PartContent::Edit { .. }
        | PartContent::Delete
        | PartContent::Unsayable { .. } => {
            return Err(Verdict::never("unsupported", "This provider cannot show this message."));
        }
    })
}

/// Builds a message with a file. A stored file is uploaded to Messenger; Instagram fetches all
/// files by their URL. If the provider does not accept the file, the message is a text with a link.
fn file(
    provider: Provider,
    destination: &Destination<'_>,
    url: &str,
    name: &str,
    mime_type: &str,
) -> (Value, Option<Upload>) {
    let facts = destination.file;
    let bytes = facts.and_then(|it| it.bytes).unwrap_or(0);
    let mime_type = facts.and_then(|it| it.mime_type).unwrap_or(mime_type);
    let is_instagram = provider == Provider::Instagram;
    let kind = match mime_type.split('/').next() {
        Some("image") => "image",
        Some("video") => "video",
        Some("audio") => "audio",
        _ => "file",
    };
    let is_taken = match kind {
        _ if bytes > FILE_BYTES_MAX => false,
        "image" if is_instagram => bytes <= INSTAGRAM_IMAGE_BYTES_MAX,
        "file" if is_instagram => mime_type == "application/pdf",
        _ => true,
    };
    if !is_taken {
        return (json!({"text": format!("{name}\n{url}")}), None);
    }
    let attachment = |payload: Value| json!({"attachment": {"type": kind, "payload": payload}});
    if is_instagram || !facts.is_some_and(|it| it.is_ours) {
        return (attachment(json!({"url": url})), None);
    }
    let upload = UploadedFile {
        field: "filedata",
        url: url.to_owned(),
        name: name.to_owned(),
        mime_type: mime_type.to_owned(),
    };
    (attachment(json!({"attachment_id": ""})), Some((kind, upload)))
}

fn uploading(
    kind: &str,
    file: UploadedFile,
    provider: Provider,
    credentials: &Credentials,
) -> Step {
    let path = path(provider, credentials, "message_attachments");
    let attachment = json!({"attachment": {"type": kind, "payload": {"is_reusable": true}}});
    let step = Step::new(Purpose::Upload, Method::Post, path);
    let step = step.with_bearer(credentials.secret(ACCESS_TOKEN));
    step.with_file(vec![("message", attachment.to_string())], file).giving("/attachment_id")
}

/// Builds a message with buttons. Up to three buttons stay below the text permanently; more than
/// three are quick replies, which disappear with the next message.
fn with_buttons(message: i64, text: &str, image: Option<&str>, buttons: &[PartButton]) -> Value {
    if buttons.len() > TEMPLATE_BUTTONS_MAX {
        let reply = |button: &PartButton| {
            json!({
                "content_type": "text", "title": TITLE.cut(&button.label),
                "payload": button_key(message, button.place),
            })
        };
        let replies: Vec<_> = buttons.iter().map(reply).collect();
        return json!({"text": text, "quick_replies": replies});
    }
    let action = |button: &PartButton| match &button.url {
        Some(url) => json!({"type": "web_url", "title": TITLE.cut(&button.label), "url": url}),
        None => json!({
            "type": "postback", "title": TITLE.cut(&button.label),
            "payload": button_key(message, button.place),
        }),
    };
    let actions: Vec<_> = buttons.iter().map(action).collect();
    let payload = match image {
        Some(url) => {
            let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
            let mut card = json!({"title": title, "image_url": url, "buttons": actions});
            if !rest.is_empty() {
                card["subtitle"] = rest.into();
            }
            json!({"template_type": "generic", "elements": [card]})
        }
        None => json!({"template_type": "button", "text": text, "buttons": actions}),
    };
    json!({"attachment": {"type": "template", "payload": payload}})
}

/// Returns the request that downloads a customer's file from its public URL, which is valid for a
/// limited time.
pub fn fetch(media: &Media) -> Vec<Step> {
    match &media.source {
        MediaSource::Url(url) => vec![Step::fetching(url)],
        MediaSource::Id(_) => Vec::new(),
    }
}

/// Returns the request that sends a read receipt for a message or a button press of the customer.
pub fn acknowledge(
    provider: Provider,
    event: &ProviderEvent,
    credentials: &Credentials,
) -> Vec<Step> {
    let is_theirs = matches!(event.content, EventContent::Posted(_) | EventContent::Pressed(_));
    let customer = event.customer.as_ref().filter(|_| is_theirs);
    let Some(id) = customer.and_then(Contact::address) else { return Vec::new() };
    let body = json!({"recipient": {"id": id.value}, "sender_action": "mark_seen"});
    vec![post(Purpose::Courtesy, provider, credentials, body)]
}

pub fn typing(
    provider: Provider,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Vec<Step> {
    let recipient = json!({"id": destination.address.value});
    let body = json!({"recipient": recipient, "sender_action": "typing_on"});
    vec![post(Purpose::Courtesy, provider, credentials, body)]
}

/// Returns the request for a customer's profile, because Meta's events do not contain the name.
pub fn profile(provider: Provider, contact: &Contact, credentials: &Credentials) -> Vec<Step> {
    let fields = match provider {
        Provider::Instagram => "name,username,profile_pic",
        _ => "first_name,last_name,profile_pic",
    };
    let Some(id) = contact.address() else { return Vec::new() };
    let path = meta::path(credentials, &[&id.value]);
    vec![get(Purpose::Locate, format!("{path}?fields={fields}"), credentials)]
}

/// Returns the requests for the owner of the token, and for the apps subscribed to the page or
/// account.
pub fn check(provider: Provider, credentials: &Credentials) -> Vec<Step> {
    let fields = match provider {
        Provider::Instagram => "id,user_id,username,name",
        _ => "id,name",
    };
    let who = meta::path(credentials, &["me"]);
    let apps = path(provider, credentials, "subscribed_apps");
    [format!("{who}?fields={fields}"), apps].map(|it| get(Purpose::Check, it, credentials)).into()
}

/// Returns the request that subscribes the Meta app to the messages of the page or account.
pub fn subscribe(provider: Provider, credentials: &Credentials) -> Step {
    let fields = match provider {
        Provider::Instagram => "messages,messaging_postbacks,messaging_seen,message_reactions",
        _ => {
            "messages,message_edits,message_echoes,message_deliveries,message_reads,\
             message_reactions,messaging_postbacks,messaging_referrals"
        }
    };
    let body = json!({"subscribed_fields": fields});
    let step = Step::post(Purpose::SetUp, path(provider, credentials, "subscribed_apps"), body);
    step.with_bearer(credentials.secret(ACCESS_TOKEN))
}
