//! Messages, and the drafts they come from.

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

/// A message as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The integer; rises strictly within the room.
    pub id: MessageId,
    /// The room it was said in.
    pub room: RoomId,
    /// Its place in the room: 1, 2, 3 … without a gap.
    pub number: u64,
    /// The message before it in the room.
    pub before: Option<MessageId>,
    /// Who said it.
    pub sender: UserKey,
    /// What it is.
    pub kind: MessageKind,
    /// The text that is shown (spec 2.2).
    pub text: String,
    /// The content of its kind.
    pub payload: Option<JsonText>,
    /// The poster's metadata.
    pub extras: Option<JsonText>,
    /// The unique id the client gave, if it gave one.
    pub client_unique_id: Option<UniqueId>,
    /// When it was posted.
    pub posted_at: Timestamp,
    /// True once deleted: its text, payload and extras are gone (D-0020).
    pub is_deleted: bool,
}

impl Message {
    /// The bytes of what it says.
    pub fn content_bytes(&self) -> usize {
        let json = [&self.payload, &self.extras].into_iter().flatten();
        self.text.len() + json.map(|json| json.as_str().len()).sum::<usize>()
    }

    /// The client's unique id, or the one the server makes.
    pub fn unique_id(&self) -> UniqueId {
        self.client_unique_id.clone().unwrap_or_else(|| UniqueId::of(self.room, self.id))
    }
}

/// A message together with who said it: what a page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedMessage {
    pub message: Message,
    /// Its sender as they are now.
    pub sender: Arc<User>,
}

/// A message as a caller names it. Always looked up within the caller's app.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MessageRef {
    /// By integer, in one of the rooms that are asked about with it.
    Id(MessageId),
    /// By unique id.
    Unique(UniqueId),
}

/// What a caller asks to post: checked, not yet decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Who says it.
    pub sender: UserRef,
    /// What the caller wrote as message.
    pub text: String,
    /// The content of its kind.
    pub payload: Payload,
    /// The poster's metadata.
    pub extras: Option<JsonText>,
    /// The unique id the client gave.
    pub unique_id: Option<UniqueId>,
}

/// Checks the length of a text that a message is shown by (spec 8).
pub fn check_text(field: &str, text: &str) -> Result<(), FieldProblem> {
    // A text of so few bytes cannot have too many characters: the common case costs no count.
    if text.len() > limits::MESSAGE_CHARS_MAX {
        let count = text.chars().count();
        if count > limits::MESSAGE_CHARS_MAX {
            let problem = format!("has {count} characters, at most 4000 are allowed");
            return Err(FieldProblem::new(field, problem));
        }
    }
    Ok(())
}
