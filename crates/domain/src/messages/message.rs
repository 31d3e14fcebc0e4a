//! Messages, and the drafts they are created from.

use std::sync::Arc;

use crate::field_problem::FieldProblem;
use crate::ids::{MessageId, RoomId, UserKey};
use crate::json_text::JsonText;
use crate::limits;
use crate::messages::message_kind::MessageKind;
use crate::messages::payload::Payload;
use crate::messages::unique_id::UniqueId;
use crate::people::user::{User, UserRef};
use crate::time::Timestamp;

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Integer id. Later messages in the room have greater ids.
    pub id: MessageId,
    pub room: RoomId,
    /// Position in the room, counted from 1 without gaps.
    pub number: u64,
    /// Id of the previous message in the room; `None` for the first one.
    pub before: Option<MessageId>,
    pub sender: UserKey,
    pub kind: MessageKind,
    /// Text that represents the message (spec 2.2).
    pub text: String,
    /// JSON content whose fields depend on the message's kind.
    pub payload: Option<JsonText>,
    /// JSON that the sender attached to the message.
    pub extras: Option<JsonText>,
    /// Unique id that the client chose, if it chose one.
    pub client_unique_id: Option<UniqueId>,
    pub posted_at: Timestamp,
    /// Whether the message was deleted: its text, payload and extras are gone (D-0020).
    pub is_deleted: bool,
}

impl Message {
    /// Returns the size of text, payload and extras in bytes.
    pub fn content_bytes(&self) -> usize {
        let json = [&self.payload, &self.extras].into_iter().flatten();
        self.text.len() + json.map(|json| json.as_str().len()).sum::<usize>()
    }

    /// Returns the unique id that the client chose, or else the one that the server derives from
    /// the room id and the message id.
    pub fn unique_id(&self) -> UniqueId {
        self.client_unique_id.clone().unwrap_or_else(|| UniqueId::of(self.room, self.id))
    }
}

/// A message with its sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedMessage {
    pub message: Message,
    /// The sender with their current profile.
    pub sender: Arc<User>,
}

/// A reference to a message in a request. Resolved within the caller's app only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MessageRef {
    /// Integer id. The message must be in one of the rooms of the rule's question.
    Id(MessageId),
    Unique(UniqueId),
}

/// A validated request to post a message, not yet decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub sender: UserRef,
    /// Text from the request.
    pub text: String,
    /// Content that depends on the message's kind.
    pub payload: Payload,
    /// JSON that the sender attaches to the message.
    pub extras: Option<JsonText>,
    /// Unique id that the client chose, if it chose one.
    pub unique_id: Option<UniqueId>,
}

/// Checks the length of a message's text (spec 8).
pub fn check_text(field: &str, text: &str) -> Result<(), FieldProblem> {
    // Count characters only if the text is long: a text cannot have more characters than bytes.
    if text.len() > limits::MESSAGE_CHARS_MAX {
        let count = text.chars().count();
        if count > limits::MESSAGE_CHARS_MAX {
            let problem = format!("has {count} characters, at most 4000 are allowed");
            return Err(FieldProblem::new(field, problem));
        }
    }
    Ok(())
}
