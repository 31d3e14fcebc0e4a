//! Pages of messages: which messages a page has is found in one look; what they say is read with it
//! as far as that is little, and the rest later, some at a time (D-0081).

use std::sync::Arc;

use confab_domain::ids::{MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::people::user::User;

/// Where a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageKey {
    /// Its room.
    pub room: RoomId,
    /// Its integer.
    pub id: MessageId,
    /// Its number there.
    pub number: u64,
}

/// A message of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageEntry {
    /// It is here.
    Loaded(Arc<PostedMessage>),
    /// It is on the page, but too large to be read with it: see [`Store::messages`].
    Deferred(MessageKey),
}

impl PageEntry {
    /// Which message it is.
    pub fn key(&self) -> MessageKey {
        match self {
            Self::Loaded(said) => {
                let Message { room, id, number, .. } = said.message;
                MessageKey { room, id, number }
            }
            Self::Deferred(key) => *key,
        }
    }

    /// The message, if it is here.
    pub fn loaded(&self) -> Option<Arc<PostedMessage>> {
        match self {
            Self::Loaded(said) => Some(said.clone()),
            Self::Deferred(_) => None,
        }
    }
}

/// What may still be read with a page.
pub(crate) struct PageBudget(usize);

impl PageBudget {
    pub(crate) fn of_a_page() -> Self {
        Self(limits::PAGE_READ_BYTES)
    }

    /// From here on, messages are only named.
    pub(crate) fn is_used_up(&self) -> bool {
        self.0 == 0
    }

    pub(crate) fn take_message(&mut self, message: &Message) {
        self.take(message.content_bytes());
    }

    /// A sender counts once: those of a page share theirs.
    pub(crate) fn take_sender(&mut self, sender: &User) {
        self.take(sender.extras.as_ref().map_or(0, |json| json.as_str().len()));
    }

    fn take(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }
}
