//! Splits a message into parts that fit a provider (channel facts 3.4).
//!
//! All providers share this code and differ only in their [`PartBounds`]. No content is dropped
//! silently: content that a provider cannot show becomes text, and content without a text is
//! refused with a reason.

use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::support::conversations::answering::Answerer;
use serde_json::Value;

use super::buttons::{self, PartButton};
use super::file_names::{mime_type_of, name_in, picture_at};
use super::inbound_message;
use super::json_lookup;
use super::part::{Part, PartContent};
use super::splitting::Bound;

/// Limits and capabilities of a provider for a single message.
pub(super) struct PartBounds {
    pub(super) text: Bound,
    pub(super) caption: Bound,
    /// Whether files of this type cannot have a caption.
    pub(super) is_bare: fn(mime_type: &str) -> bool,
    /// Maximum length of a text with buttons below it.
    pub(super) button_text: Bound,
    /// Maximum length of a text with a picture above it and buttons below it.
    pub(super) card_text: Bound,
    pub(super) buttons_max: usize,
    /// Maximum number of buttons below a picture.
    pub(super) card_buttons_max: usize,
    /// Maximum number of buttons if some of them are links. If there are more, the links become
    /// text.
    pub(super) linking_buttons_max: usize,
    pub(super) has_templates: bool,
    pub(super) has_phones: bool,
    pub(super) has_locations: bool,
}

/// Placeholder for a required text that is empty.
const NO_TEXT: &str = "…";

/// Splits a message into parts, in the order in which the customer sees them.
pub(super) fn parts(message: &Message, answerer: Answerer, bounds: &PartBounds) -> Vec<Part> {
    if message.is_deleted {
        return Vec::new();
    }
    let payload = message.payload.as_ref().map(|json| json.as_str());
    let payload: Value = payload.and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    let mut says = contents(message, &payload, bounds);
    if says.is_empty() && message.kind != MessageKind::SystemEvent {
        says.push(PartContent::Unsayable { why: "The message has no content to show.".to_owned() });
    }
    let replied = (message.kind == MessageKind::Reply)
        .then(|| json_lookup::integer(&payload["replied_comment_id"]))
        .flatten();
    numbered(message, answerer, says, replied)
}

/// Returns the part that sends an edit, a deletion or a template.
pub(super) fn change(message: &Message, answerer: Answerer, say: PartContent) -> Vec<Part> {
    numbered(message, answerer, vec![say], None)
}

fn numbered(
    message: &Message,
    answerer: Answerer,
    says: Vec<PartContent>,
    replied: Option<i64>,
) -> Vec<Part> {
    let part = |(place, say)| Part {
        room: message.room.0,
        message: message.id.0,
        place,
        is_by_person: matches!(answerer, Answerer::Staff(_)),
        reply_to: replied.filter(|_| place == 0),
        say,
    };
    (0..).zip(says).map(part).collect()
}

fn contents(message: &Message, payload: &Value, bounds: &PartBounds) -> Vec<PartContent> {
    match message.kind {
        MessageKind::Text | MessageKind::Reply | MessageKind::ButtonPostbackResponse => {
            texts(&message.text, bounds)
        }
        MessageKind::FileAttachment => file(payload, bounds),
        MessageKind::Buttons => {
            let text = json_lookup::text(&payload["text"]).unwrap_or_default();
            with_buttons(text, None, shown_buttons(payload, 0), bounds)
        }
        MessageKind::Card => {
            let text =
                [card_text(payload), json_lookup::text(&payload["text"]).unwrap_or_default()];
            let text = text.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
            let text = with_link(text, json_lookup::text(&payload["url"]));
            let image = json_lookup::any_text(payload, &["image", "image_url"]);
            with_buttons(text, image, shown_buttons(payload, 0), bounds)
        }
        MessageKind::Carousel => carousel(payload, bounds),
        MessageKind::Location => location(message, payload, bounds),
        MessageKind::ContactPerson => phone(message, payload, bounds),
        MessageKind::AccountLinking => {
            let text = json_lookup::text(&payload["text"]).unwrap_or_default();
            let label = json_lookup::text(&payload["params"]["button_text"]);
            let label = label.unwrap_or_else(|| "Link".to_owned());
            let url = json_lookup::text(&payload["url"]);
            with_buttons(text, None, vec![PartButton { label, place: 0, url }], bounds)
        }
        MessageKind::Custom => custom(payload, bounds),
        // System events are about the room, not for the customer.
        MessageKind::SystemEvent => Vec::new(),
    }
}

fn texts(text: &str, bounds: &PartBounds) -> Vec<PartContent> {
    let says = |text: &str| PartContent::Text { text: text.to_owned() };
    bounds.text.pieces(text).into_iter().map(says).collect()
}

fn file(payload: &Value, bounds: &PartBounds) -> Vec<PartContent> {
    let url = json_lookup::text(&payload["url"]).unwrap_or_default();
    let name = json_lookup::text(&payload["file_name"]).unwrap_or_else(|| name_in(&url));
    let mime_type = mime_type_of(&name).or(mime_type_of(&name_in(&url)));
    let mime_type = mime_type.unwrap_or("application/octet-stream").to_owned();
    let caption = json_lookup::text(&payload["caption"]).unwrap_or_default();
    captioned(PartContent::File { url, name, mime_type, caption }, bounds)
}

fn picture(url: String, caption: String, bounds: &PartBounds) -> Vec<PartContent> {
    let (name, mime_type) = picture_at(&url);
    let mime_type = mime_type.to_owned();
    captioned(PartContent::File { url, name, mime_type, caption }, bounds)
}

/// Returns the file, followed by its caption as separate texts if the file cannot have this
/// caption.
fn captioned(mut file: PartContent, bounds: &PartBounds) -> Vec<PartContent> {
    let mut after = String::new();
    if let PartContent::File { mime_type, caption, .. } = &mut file
        && ((bounds.is_bare)(mime_type) || !bounds.caption.fits(caption))
    {
        after = std::mem::take(caption);
    }
    std::iter::once(file).chain(texts(&after, bounds)).collect()
}

fn carousel(payload: &Value, bounds: &PartBounds) -> Vec<PartContent> {
    let mut says = Vec::new();
    let mut place = 0;
    for card in json_lookup::list(&payload["cards"]) {
        let shown = shown_buttons(card, place);
        place += u32::try_from(shown.len()).unwrap_or(u32::MAX);
        let link = json_lookup::text(&card["default_action"]["payload"]["url"]);
        let text = with_link(card_text(card), link);
        says.extend(with_buttons(text, json_lookup::text(&card["image"]), shown, bounds));
    }
    says
}

fn location(message: &Message, payload: &Value, bounds: &PartBounds) -> Vec<PartContent> {
    let latitude = json_lookup::number_within(&payload["latitude"], 90.0);
    let longitude = json_lookup::number_within(&payload["longitude"], 180.0);
    let (Some(latitude), Some(longitude)) = (latitude, longitude) else {
        return texts(&message.text, bounds);
    };
    if !bounds.has_locations {
        let map_url = inbound_message::map_url(latitude, longitude);
        let has_link = message.text.contains("://");
        let link = (!has_link).then_some(map_url);
        return texts(&with_link(message.text.clone(), link), bounds);
    }
    let [name, address] = ["name", "address"].map(|it| json_lookup::text(&payload[it]));
    let (name, address) = (name.unwrap_or_default(), address.unwrap_or_default());
    vec![PartContent::Location { latitude, longitude, name, address }]
}

fn phone(message: &Message, payload: &Value, bounds: &PartBounds) -> Vec<PartContent> {
    let is_phone = payload["type"] != "email";
    match (json_lookup::text(&payload["name"]), json_lookup::text(&payload["value"])) {
        (Some(name), Some(number)) if is_phone && bounds.has_phones => {
            vec![PartContent::Phone { name, number }]
        }
        _ => texts(&message.text, bounds),
    }
}

fn custom(payload: &Value, bounds: &PartBounds) -> Vec<PartContent> {
    let kind = json_lookup::text(&payload["type"]).unwrap_or_default();
    let content =
        if payload["content"].is_null() { &payload["payload"] } else { &payload["content"] };
    if kind == "template" && bounds.has_templates && content.is_object() {
        return vec![PartContent::Template { template: content.clone() }];
    }
    let text =
        json_lookup::text(content).or_else(|| json_lookup::any_text(content, &["text", "message"]));
    match text {
        Some(text) => texts(&text, bounds),
        None => {
            let why = format!("A custom message of the type {kind} has no text for this channel.");
            vec![PartContent::Unsayable { why }]
        }
    }
}

/// Builds a text with buttons below it and an optional picture above it, split to fit the bounds.
fn with_buttons(
    text: String,
    image: Option<String>,
    shown: Vec<PartButton>,
    bounds: &PartBounds,
) -> Vec<PartContent> {
    let (text, shown) = links_in_text(text, shown, bounds);
    let bound = if image.is_some() { bounds.card_text } else { bounds.button_text };
    let mut says = Vec::new();
    if shown.is_empty() {
        match image {
            Some(url) => says.extend(picture(url, text, bounds)),
            None => says.extend(texts(&text, bounds)),
        }
        return says;
    }
    let (mut text, mut image) = (text, image);
    let is_crowded = image.is_some() && shown.len() > bounds.card_buttons_max;
    if is_crowded && let Some(url) = image.take() {
        says.extend(picture(url, String::new(), bounds));
    }
    if !bound.fits(&text) {
        if let Some(url) = image.take() {
            says.extend(picture(url, String::new(), bounds));
        }
        says.extend(texts(&text, bounds));
        text = String::new();
    }
    for buttons in shown.chunks(bounds.buttons_max) {
        let contents = Some(std::mem::take(&mut text)).filter(|text| !text.trim().is_empty());
        let text = contents.unwrap_or_else(|| NO_TEXT.to_owned());
        says.push(PartContent::Buttons { text, image: image.take(), buttons: buttons.to_vec() });
    }
    says
}

/// Moves links that cannot be buttons into the text.
fn links_in_text(
    text: String,
    shown: Vec<PartButton>,
    bounds: &PartBounds,
) -> (String, Vec<PartButton>) {
    let may_link = shown.len() <= bounds.linking_buttons_max;
    let is_button = |button: &PartButton| match &button.url {
        Some(url) => may_link && (url.starts_with("https://") || url.starts_with("http://")),
        None => true,
    };
    let (shown, links): (Vec<_>, Vec<_>) = shown.into_iter().partition(is_button);
    let line = |link: PartButton| format!("{}: {}", link.label, link.url.unwrap_or_default());
    let lines =
        std::iter::once(text).filter(|it| !it.is_empty()).chain(links.into_iter().map(line));
    (lines.collect::<Vec<_>>().join("\n"), shown)
}

fn shown_buttons(payload: &Value, first: u32) -> Vec<PartButton> {
    let all = json_lookup::list(&payload["buttons"]);
    (first..).zip(all).map(|(place, button)| buttons::shown(button, place)).collect()
}

fn card_text(card: &Value) -> String {
    let lines = ["title", "description"].map(|key| json_lookup::text(&card[key]));
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn with_link(text: String, link: Option<String>) -> String {
    let lines = [Some(text).filter(|it| !it.is_empty()), link];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}
