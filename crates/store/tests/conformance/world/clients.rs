//! Clients' operations on messages, and reads of missed events.

use confab_domain::ids::EventId;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_domain::messages::editing::EditMessage;
use confab_domain::messages::hiding::HideMessages;
use confab_domain::messages::message::Message;
use confab_domain::messages::room_event::{RoomEvent, RoomEventKind};
use confab_domain::rooms::clearing::ClearRooms;
use confab_store::WriteError;

use super::{World, draft_by, room_ref, user_id};

impl World {
    /// Marks messages up to this one as read, and returns whether that is new.
    pub async fn read(&self, by: &str, message: &Message) -> bool {
        self.acknowledge(by, Some(message), None).await.expect("written")
    }

    /// Marks messages up to this one as received, and returns whether that is new.
    pub async fn receive(&self, by: &str, message: &Message) -> bool {
        self.acknowledge(by, None, Some(message)).await.expect("written")
    }

    pub async fn acknowledge(
        &self,
        by: &str,
        read: Option<&Message>,
        received: Option<&Message>,
    ) -> Result<bool, WriteError> {
        let room = read.or(received).expect("a read or received message").room.to_string();
        let given = Acknowledge {
            room: room_ref(&room),
            by: user_id(by).into(),
            read: read.map(|message| message.id),
            received: received.map(|message| message.id),
        };
        self.decide(given).await
    }

    /// Edits a user's own message.
    pub async fn edit(&self, by: &str, message: &Message, text: &str) -> Message {
        let (room, message, draft) = (message.room, message.unique_id(), draft_by(by, text));
        self.decide(EditMessage { room, message, draft }).await.expect("edited").message
    }

    /// Clears a room for a user.
    pub async fn clear(&self, by: &str, room: &str) {
        let (rooms, by) = (vec![room_ref(room)], user_id(by).into());
        self.decide(ClearRooms { by, rooms }).await.expect("cleared");
    }

    /// Hides a message from a user.
    pub async fn hide(&self, by: &str, message: &Message) {
        let (rooms, ids) = (vec![message.room], vec![message.unique_id()]);
        let rule = HideMessages { rooms, ids, by: user_id(by).into(), hidden_before: 0 };
        self.decide(rule).await.expect("hidden");
    }

    /// Returns events in a user's rooms after this one.
    pub async fn events_after(&self, user: &str, after: i64, size: usize) -> Vec<RoomEvent> {
        let user = self.user(user).await.key;
        self.store.events_after(user, EventId(after), size).await.expect("read").events
    }

    /// Returns events in a user's rooms after this one, as short texts.
    pub async fn happened_after(&self, user: &str, after: i64) -> Vec<String> {
        self.events_after(user, after, 1000).await.iter().map(in_words).collect()
    }
}

/// Formats an event as a short text.
pub fn in_words(event: &RoomEvent) -> String {
    match &event.what {
        RoomEventKind::Posted { posted, room } => {
            assert_eq!((room.id, event.id.0), (event.room, posted.message.id.0));
            format!("{} says {}", posted.sender.user_id.as_str(), posted.message.text)
        }
        RoomEventKind::Edited { posted, .. } => {
            format!("{} edits {}", posted.sender.user_id.as_str(), posted.message.text)
        }
        RoomEventKind::Deleted { by, messages, .. } => {
            format!("{} deletes {}", by.user_id.as_str(), messages.len())
        }
        RoomEventKind::Cleared { by, number, .. } => {
            format!("{} clears {number}", by.user_id.as_str())
        }
        RoomEventKind::Received(it) => format!("{} received {}", it.by.user_id.as_str(), it.number),
        RoomEventKind::Read(it) => format!("{} read {}", it.by.user_id.as_str(), it.number),
    }
}
