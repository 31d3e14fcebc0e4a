//! Payloads that only the facts can complete.

use crate::json_text::JsonText;
use crate::messages::conversation_event::ConversationEvent;
use crate::messages::message::PostedMessage;
use crate::messages::rating::RatingQuestion;

/// A payload that only the facts can complete.
pub enum Incomplete<'a> {
    /// A reply, to be completed from the replied message (wire facts 3.3).
    Reply {
        /// As the caller sent it.
        json: &'a JsonText,
        /// The text of the reply.
        text: &'a str,
        /// What is replied to.
        replied: &'a PostedMessage,
    },
    /// A system event, to be wrapped with the room's name (spec 2.4).
    SystemEvent {
        /// As the caller sent it.
        json: &'a JsonText,
        /// The room's name now.
        room_name: &'a str,
    },
    /// The same of the server's own.
    Conversation { event: &'a ConversationEvent, room_name: &'a str },
    /// The question how a conversation was, with its buttons (D-0136).
    RatingQuestion(&'a RatingQuestion),
}

/// Writes the complete payload. Pure; `wire` has the one that writes public JSON.
pub type CompletePayload = fn(Incomplete<'_>) -> JsonText;
