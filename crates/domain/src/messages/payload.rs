//! The content of each kind of message, and the text that represents it (spec 2.2).
//!
//! `wire` validates the JSON and passes it on as text, together with the few values that rules
//! need.

use crate::ids::MessageId;
use crate::json_text::JsonText;
use crate::messages::conversation_event::ConversationEvent;
use crate::messages::message_kind::MessageKind;
use crate::messages::rating::{RatingPress, RatingQuestion};

/// The checked content of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// No payload; the draft has only a text.
    Text,
    /// A text with buttons.
    Buttons(JsonText),
    /// A card; represented by its own text.
    Card {
        /// The payload's field `text`.
        text: String,
        /// The whole payload.
        json: JsonText,
    },
    /// Several cards.
    Carousel(JsonText),
    /// A file; represented by its URL.
    FileAttachment {
        /// The payload's field `url`.
        url: String,
        /// The whole payload.
        json: JsonText,
    },
    /// Content that the app defines.
    Custom(JsonText),
    /// A request to link an account; represented by its own text.
    AccountLinking {
        /// The payload's field `text`.
        text: String,
        /// The whole payload.
        json: JsonText,
    },
    /// The payload of a pressed button.
    ButtonPostbackResponse {
        /// The customer's rating, if the button belongs to a rating question.
        rating: Option<RatingPress>,
        /// The whole payload.
        json: JsonText,
    },
    /// Contact details of a person.
    ContactPerson {
        /// The payload's field `name`.
        name: String,
        /// The payload's field `value`.
        value: String,
        /// The whole payload.
        json: JsonText,
    },
    /// A geographic location.
    Location {
        /// The payload's field `name`.
        name: String,
        /// The payload's field `address`.
        address: String,
        /// The payload's field `map_url`.
        map_url: String,
        /// The whole payload.
        json: JsonText,
    },
    /// A reply. Before it is stored, it is completed with the message that it replies to.
    Reply {
        /// The payload's field `text`.
        text: String,
        /// Id of the message that the reply quotes.
        to: MessageId,
        /// The payload as the client sent it.
        json: JsonText,
    },
    /// A system event posted by the app. Before it is stored, it is completed with the room's name.
    SystemEvent(JsonText),
    /// A system event posted by the server, about the customer's conversation.
    Conversation(ConversationEvent),
    /// The server's rating question after a conversation: a text with buttons.
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

    /// Returns the JSON that the client sent as the payload, if the kind has a payload.
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
