//! What each kind of message carries, and the text it is shown by (spec 2.2, D-0017).
//!
//! `wire` checks the JSON and hands over its text together with the few values rules look at.

use crate::ids::MessageId;
use crate::json_text::JsonText;
use crate::messages::conversation_event::ConversationEvent;
use crate::messages::message_kind::MessageKind;
use crate::messages::rating::{RatingPress, RatingQuestion};

/// The checked content of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Nothing but the text.
    Text,
    /// A text with buttons.
    Buttons(JsonText),
    /// A card; shown by its own text.
    Card {
        /// `payload.text`
        text: String,
        /// The whole payload.
        json: JsonText,
    },
    /// Several cards.
    Carousel(JsonText),
    /// A file; shown by its address.
    FileAttachment {
        /// `payload.url`
        url: String,
        /// The whole payload.
        json: JsonText,
    },
    /// Whatever the app defined.
    Custom(JsonText),
    /// A request to link an account; shown by its own text.
    AccountLinking {
        /// `payload.text`
        text: String,
        /// The whole payload.
        json: JsonText,
    },
    /// The payload of a pressed button.
    ButtonPostbackResponse {
        /// What it says if it is one of a question how a conversation was.
        rating: Option<RatingPress>,
        /// The whole payload.
        json: JsonText,
    },
    /// Somebody to reach.
    ContactPerson {
        /// `payload.name`
        name: String,
        /// `payload.value`
        value: String,
        /// The whole payload.
        json: JsonText,
    },
    /// A place.
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
    /// An answer. The store's facts complete it.
    Reply {
        /// `payload.text`
        text: String,
        /// The message answered.
        to: MessageId,
        /// The payload as the caller sent it.
        json: JsonText,
    },
    /// A system event. The room's name completes it.
    SystemEvent(JsonText),
    /// A system event of the server's own, about the conversation.
    Conversation(ConversationEvent),
    /// A text with buttons of the server's own: how a conversation was (D-0136).
    RatingQuestion(RatingQuestion),
}

impl Payload {
    /// The kind of message this makes.
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

    /// The JSON that came with it, if its kind has any.
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

    /// The text a message is shown by, given what the caller wrote as message.
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

/// Both with something between them; nothing between where one is empty.
fn joined(first: &str, between: &str, second: &str) -> String {
    let between = if first.is_empty() || second.is_empty() { "" } else { between };
    format!("{first}{between}{second}")
}
