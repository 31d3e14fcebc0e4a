//! Pages of messages: one read finds the messages of a page and loads the first ones up to a size
//! limit; the rest is loaded later in batches (D-0081).

use std::sync::Arc;

use confab_domain::ids::{MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::people::user::User;

/// Ids and position of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageKey {
    /// Id of its room.
    pub room: RoomId,
    /// Id of the message.
    pub id: MessageId,
    /// Position of the message in its room.
    pub number: u64,
}

/// A message of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageEntry {
    /// The message, loaded with the page.
    Loaded(Arc<PostedMessage>),
    /// Key of a message that was not loaded, because the page is too large; see
    /// [`Store::messages`].
    Deferred(MessageKey),
}

impl PageEntry {
    /// Returns the key of the message.
    pub fn key(&self) -> MessageKey {
        match self {
            Self::Loaded(posted) => {
                let Message { room, id, number, .. } = posted.message;
                MessageKey { room, id, number }
            }
            Self::Deferred(key) => *key,
        }
    }

    /// Returns the message if it is loaded.
    pub fn loaded(&self) -> Option<Arc<PostedMessage>> {
        match self {
            Self::Loaded(posted) => Some(posted.clone()),
            Self::Deferred(_) => None,
        }
    }
}

/// Number of bytes that may still be loaded with a page.
pub(crate) struct PageBudget(usize);

impl PageBudget {
    pub(crate) fn of_a_page() -> Self {
        Self(limits::PAGE_READ_BYTES)
    }

    /// Whether further messages must be deferred.
    pub(crate) fn is_used_up(&self) -> bool {
        self.0 == 0
    }

    pub(crate) fn take_message(&mut self, message: &Message) {
        self.take(message.content_bytes());
    }

    /// Counts a sender's size. Call it once per sender of a page, whose messages share the sender.
    pub(crate) fn take_sender(&mut self, sender: &User) {
        self.take(sender.extras.as_ref().map_or(0, |json| json.as_str().len()));
    }

    fn take(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }
}
