//! Buttons of messages to customers. Providers limit the length of a button's payload, so Confab
//! sends a short key instead: the message's id and the button's position. A press is resolved by
//! this key (channel facts 3.4).

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::payload::Payload;
use confab_domain::messages::rating::RatingPress;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inbound_message::DraftContent;
use super::json_lookup;
use super::provider_event::{Press, PressedButton};

const MARK: &str = "confab";

/// Returns the key that is sent as a button's payload. It has at most 38 bytes; the strictest
/// provider accepts 64.
pub(super) fn button_key(message: i64, place: u32) -> String {
    format!("{MARK}:{message}:{place}")
}

/// Parses the payload of a pressed button, which is a key of `button_key` or the payload of a
/// foreign button.
pub(super) fn pressed_button(carried: &str) -> PressedButton {
    let ours = || {
        let (message, place) = carried.strip_prefix(MARK)?.strip_prefix(':')?.split_once(':')?;
        let message = MessageId(message.parse().ok()?);
        Some(PressedButton::Ours { message, place: place.parse().ok()? })
    };
    ours().unwrap_or_else(|| PressedButton::Foreign(carried.to_owned()))
}

/// A button in a part of a message to a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartButton {
    pub label: String,
    /// Position among the buttons of all cards of the message, from 0.
    pub place: u32,
    /// URL that the button opens; `None` if the provider reports presses of the button to this
    /// server instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Returns the buttons of a message payload, followed by the buttons of its cards in order.
pub(super) fn buttons_of(payload: &Value) -> impl Iterator<Item = &Value> {
    let own = json_lookup::list(&payload["buttons"]).iter();
    let cards = json_lookup::list(&payload["cards"]).iter();
    own.chain(cards.flat_map(|card| json_lookup::list(&card["buttons"])))
}

/// Converts a button of a message payload to the form in which parts contain it.
pub(super) fn shown(button: &Value, place: u32) -> PartButton {
    let url = json_lookup::text(&button["payload"]["url"]).filter(|_| button["type"] == "link");
    let label = json_lookup::text(&button["label"]).unwrap_or_else(|| "…".to_owned());
    PartButton { label, place, url }
}

impl Press {
    /// Whether the pressed button exists: the provider reported its title, or `message` contains
    /// it.
    pub fn is_of_button(&self, message: Option<&Message>) -> bool {
        self.title.is_some() || button_of(self, payload_of(message).as_ref()).is_some()
    }
}

/// Parses the payload of a message type that may have buttons.
fn payload_of(message: Option<&Message>) -> Option<Value> {
    use MessageKind::{Buttons, Card, Carousel};
    let message = message.filter(|it| matches!(it.kind, Buttons | Card | Carousel))?;
    serde_json::from_str(message.payload.as_ref()?.as_str()).ok()
}

fn button_of<'a>(press: &Press, payload: Option<&'a Value>) -> Option<&'a Value> {
    match press.button {
        PressedButton::Ours { place, .. } => buttons_of(payload?).nth(place.try_into().ok()?),
        PressedButton::Foreign(_) => None,
    }
}

/// Returns the message that is posted for a button press. `message` is our message that contains
/// the button, if it was found; `read_rating` parses the button's payload, if that belongs to a
/// rating question.
pub fn pressed(
    press: &Press,
    message: Option<&Message>,
    read_rating: fn(&Value) -> Option<RatingPress>,
) -> DraftContent {
    let payload = payload_of(message);
    let button = button_of(press, payload.as_ref());
    let posted = button.and_then(|it| json_lookup::any_text(it, &["postback_text", "label"]));
    let carried = match &press.button {
        PressedButton::Foreign(carried) => Some(carried.clone()),
        PressedButton::Ours { .. } => None,
    };
    let text = posted.or_else(|| press.title.clone()).or_else(|| carried.clone());
    let text = text.unwrap_or_else(|| "…".to_owned());
    let json = match (button.map(|it| &it["payload"]), carried) {
        (Some(payload @ Value::Object(_)), _) => json_lookup::json(payload),
        (None, Some(carried)) => json_lookup::json(&serde_json::json!({"payload": carried})),
        _ => JsonText::empty_object(),
    };
    let text = text.chars().take(limits::MESSAGE_CHARS_MAX).collect();
    let rating = button.and_then(|it| read_rating(&it["payload"]));
    let payload = Payload::ButtonPostbackResponse { rating, json };
    DraftContent { text, payload, extras: None }
}
