//! Payloads that are completed with facts before a message is stored.

use crate::json_text::JsonText;
use crate::messages::conversation_event::ConversationEvent;
use crate::messages::message::PostedMessage;
use crate::messages::rating::RatingQuestion;

/// A payload that is completed with facts before its message is stored.
pub enum Incomplete<'a> {
    /// A reply, to be completed with the message it replies to (wire facts 3.3).
    Reply {
        /// The payload as the client sent it.
        json: &'a JsonText,
        text: &'a str,
        /// The message that is replied to.
        replied: &'a PostedMessage,
    },
    /// A system event, to be wrapped with the room's name (spec 2.4).
    SystemEvent {
        /// The payload as the client sent it.
        json: &'a JsonText,
        /// Current name of the room.
        room_name: &'a str,
    },
    /// A system event of the server itself, to be wrapped with the room's name.
    Conversation { event: &'a ConversationEvent, room_name: &'a str },
    /// The request for a rating, to be completed with its buttons.
    RatingQuestion(&'a RatingQuestion),
}

/// Renders a complete payload. A pure function; `wire` has the one that writes public JSON.
pub type CompletePayload = fn(Incomplete<'_>) -> JsonText;
