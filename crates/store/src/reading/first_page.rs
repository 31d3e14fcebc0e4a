//! Cached first page of a room. Each engine has its own proof that a cached page is current.

use std::collections::VecDeque;
use std::sync::Arc;

use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::people::user::User;

use super::pages::PageEntry;

/// The newest messages of a room that are not deleted.
#[derive(Clone)]
pub(crate) struct FirstPage {
    /// The messages, oldest first.
    posted: VecDeque<Arc<PostedMessage>>,
    /// Whether the room has no other messages.
    is_whole: bool,
    /// Estimated memory of the messages in bytes.
    bytes: usize,
}

impl FirstPage {
    /// Creates a page from loaded entries, newest first; `is_all` means that the room has no
    /// others. Returns `None` for a large page, which would evict the pages of many rooms.
    pub(crate) fn of(page: &[PageEntry], is_all: bool) -> Option<Self> {
        let is_whole = is_all && page.len() <= limits::PAGE_DEFAULT;
        let newest = page.iter().take(limits::PAGE_DEFAULT).rev();
        let posted = newest.map(PageEntry::loaded).collect::<Option<VecDeque<_>>>()?;
        let bytes = posted.iter().map(|posted| size(posted)).sum();
        Some(Self { posted, is_whole, bytes }).filter(|page| !page.is_large())
    }

    /// Returns the `size` newest messages, newest first. Returns `None` if the page has fewer
    /// messages and the room has more.
    pub(crate) fn newest(&self, size: usize) -> Option<Vec<Arc<PostedMessage>>> {
        self.has(size).then(|| self.posted.iter().rev().take(size).cloned().collect())
    }

    /// Whether the page has `size` messages or all messages of the room.
    pub(crate) fn has(&self, size: usize) -> bool {
        self.is_whole || self.posted.len() >= size
    }

    /// Returns the newest message.
    pub(crate) fn last(&self) -> Option<&Arc<PostedMessage>> {
        self.posted.back()
    }

    /// Whether the page has a message of this sender, and with an equal profile.
    pub(crate) fn knows(&self, sender: &Arc<User>) -> bool {
        self.posted
            .iter()
            .any(|posted| Arc::ptr_eq(&posted.sender, sender) || posted.sender == *sender)
    }

    /// Appends a message, which must be newer than all others of the page.
    pub(crate) fn push(&mut self, posted: Arc<PostedMessage>) {
        self.bytes += size(&posted);
        self.posted.push_back(posted);
        if self.posted.len() > limits::PAGE_DEFAULT {
            self.is_whole = false;
            let oldest = self.posted.pop_front();
            self.bytes -= oldest.map_or(0, |posted| size(&posted));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_large(&self) -> bool {
        self.bytes > limits::FIRST_PAGE_BYTES_MAX
    }
}

/// Estimates the memory of a message in bytes, without its sender, which is shared.
fn size(posted: &PostedMessage) -> usize {
    size_of::<PostedMessage>() + posted.message.content_bytes()
}

/// Example data for tests of both engines' caches.
#[cfg(test)]
pub(crate) mod example {
    use std::sync::Arc;

    use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
    use confab_domain::messages::message::{Message, PostedMessage};
    use confab_domain::messages::message_kind::MessageKind;
    use confab_domain::people::user::{Realm, User, UserId};
    use confab_domain::time::Timestamp;

    /// Returns an example message of the user "ana", posted after the message with the id below
    /// `id`.
    pub(crate) fn message(room: RoomId, id: i64, text: &str) -> Arc<PostedMessage> {
        let message = Message {
            id: MessageId(id),
            room,
            number: id as u64,
            before: (id > 1).then(|| MessageId(id - 1)),
            sender: UserKey(1),
            kind: MessageKind::Text,
            text: text.to_owned(),
            payload: None,
            extras: None,
            client_unique_id: None,
            posted_at: Timestamp(0),
            is_deleted: false,
        };
        let sender = User {
            key: UserKey(1),
            app: AppId(1),
            realm: Realm::App,
            user_id: UserId::from_stored("ana".to_owned()),
            username: "Ana".to_owned(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        Arc::new(PostedMessage { message, sender: Arc::new(sender) })
    }
}
