//! Payloads that the server completes before a message is stored, for example with the message that
//! a reply quotes.

use crate::json_text::JsonText;
use crate::messages::conversation_event::ConversationEvent;
use crate::messages::message::PostedMessage;
use crate::messages::rating::RatingQuestion;

/// A payload to be completed, with the data that completes it.
pub enum Incomplete<'a> {
    /// A reply, to be completed with the message it replies to (wire facts 3.3).
    Reply {
        /// The payload as the client sent it.
        json: &'a JsonText,
        text: &'a str,
        /// The message that the reply quotes.
        replied: &'a PostedMessage,
    },
    /// A system event posted by the app, to be completed with the room's name (spec 2.4).
    SystemEvent {
        /// The payload as the client sent it.
        json: &'a JsonText,
        /// Current name of the room.
        room_name: &'a str,
    },
    /// A system event posted by the server, to be completed with the room's name.
    Conversation { event: &'a ConversationEvent, room_name: &'a str },
    /// The request for a rating, to be completed with its buttons.
    RatingQuestion(&'a RatingQuestion),
}

/// Returns the JSON of the completed payload. `wire` implements this function.
pub type CompletePayload = fn(Incomplete<'_>) -> JsonText;
