//! The content of each kind of message, and the text that represents it (spec 2.2).
//!
//! `wire` checks the JSON and passes it on as text, together with the few values that rules need.

use crate::ids::MessageId;
use crate::json_text::JsonText;
use crate::messages::conversation_event::ConversationEvent;
use crate::messages::message_kind::MessageKind;
use crate::messages::rating::{RatingPress, RatingQuestion};

/// The checked content of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Only the draft's text.
    Text,
    /// A text with buttons.
    Buttons(JsonText),
    /// A card; represented by its own text.
    Card {
        /// `payload.text`
        text: String,
        /// The whole payload.
        json: JsonText,
    },
    /// Several cards.
    Carousel(JsonText),
    /// A file; represented by its URL.
    FileAttachment {
        /// `payload.url`
        url: String,
        /// The whole payload.
        json: JsonText,
    },
    /// Content that the app defines.
    Custom(JsonText),
    /// A request to link an account; represented by its own text.
    AccountLinking {
        /// `payload.text`
        text: String,
        /// The whole payload.
        json: JsonText,
    },
    /// The payload of a pressed button.
    ButtonPostbackResponse {
        /// The customer's rating, if the button belongs to a request for one.
        rating: Option<RatingPress>,
        /// The whole payload.
        json: JsonText,
    },
    /// Contact details of a person.
    ContactPerson {
        /// `payload.name`
        name: String,
        /// `payload.value`
        value: String,
        /// The whole payload.
        json: JsonText,
    },
    /// A geographic location.
    Location {
        /// `payload.name`
        name: String,
        /// `payload.address`
        address: String,
        /// `payload.map_url`
        map_url: String,
        /// The whole payload.
        json: JsonText,
    },
    /// A reply. It is completed with the message it replies to.
    Reply {
        /// `payload.text`
        text: String,
        /// The message that is replied to.
        to: MessageId,
        /// The payload as the client sent it.
        json: JsonText,
    },
    /// A system event. It is completed with the room's name.
    SystemEvent(JsonText),
    /// A system event of the server itself, about the conversation.
    Conversation(ConversationEvent),
    /// The server's request for a rating of the conversation: a text with buttons.
    RatingQuestion(RatingQuestion),
}

impl Payload {
    /// Returns the kind of message with this payload.
    pub fn kind(&self) -> MessageKind {
        match self {
            Self::Text => MessageKind::Text,
            Self::Buttons(_) | Self::RatingQuestion(_) => MessageKind::Buttons,
            Self::Card { .. } => MessageKind::Card,
            Self::Carousel(_) => MessageKind::Carousel,
            Self::FileAttachment { .. } => MessageKind::FileAttachment,
            Self::Custom(_) => MessageKind::Custom,
            Self::AccountLinking { .. } => MessageKind::AccountLinking,
            Self::ButtonPostbackResponse { .. } => MessageKind::ButtonPostbackResponse,
            Self::ContactPerson { .. } => MessageKind::ContactPerson,
            Self::Location { .. } => MessageKind::Location,
            Self::Reply { .. } => MessageKind::Reply,
            Self::SystemEvent(_) | Self::Conversation(_) => MessageKind::SystemEvent,
        }
    }

    /// Returns the client's JSON, if the kind has any.
    pub fn json(&self) -> Option<&JsonText> {
        match self {
            Self::Text | Self::Conversation(_) | Self::RatingQuestion(_) => None,
            Self::Buttons(json)
            | Self::Carousel(json)
            | Self::Custom(json)
            | Self::ButtonPostbackResponse { json, .. }
            | Self::SystemEvent(json)
            | Self::Card { json, .. }
            | Self::FileAttachment { json, .. }
            | Self::AccountLinking { json, .. }
            | Self::ContactPerson { json, .. }
            | Self::Location { json, .. }
            | Self::Reply { json, .. } => Some(json),
        }
    }

    /// Returns the text that represents the message; `written` is the text from the request.
    pub fn shown_text(&self, written: &str) -> String {
        match self {
            Self::Text | Self::ButtonPostbackResponse { .. } | Self::SystemEvent(_) => {
                written.to_owned()
            }
            Self::Conversation(event) => event.text(),
            Self::Buttons(_) | Self::RatingQuestion(_) | Self::Carousel(_) | Self::Custom(_) => {
                String::new()
            }
            Self::Card { text, .. }
            | Self::AccountLinking { text, .. }
            | Self::Reply { text, .. } => text.clone(),
            Self::FileAttachment { url, .. } => format!("[file] {url} [/file]"),
            Self::ContactPerson { name, value, .. } => format!("{name} - {value}"),
            Self::Location { name, address, map_url, .. } => {
                joined(&joined(name, " - ", address), "\n", map_url)
            }
        }
    }
}

/// Joins two texts with a separator, or without one if either is empty.
fn joined(first: &str, between: &str, second: &str) -> String {
    let between = if first.is_empty() || second.is_empty() { "" } else { between };
    format!("{first}{between}{second}")
}
