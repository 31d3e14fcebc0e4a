//! What a commit under way has changed: the facts of later decisions in it, and what is published
//! to readers once it is on disk.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::decision::{Change, Facts};
use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_domain::message::{Message, Said};
use confab_domain::room::LastMessage;

/// The messages of the commit under way.
#[derive(Default)]
pub(super) struct Batch {
    last: HashMap<RoomId, LastMessage>,
    pub(super) messages: Vec<(RoomId, MessageId, UserKey)>,
    pub(super) said: Vec<Arc<Said>>,
    pub(super) changed_rooms: Vec<RoomId>,
    pub(super) changes_profiles: bool,
    pub(super) places_written: Vec<RoomId>,
}

impl Batch {
    /// The newest message of a room, if it is of this commit.
    pub(super) fn last(&self, room: RoomId) -> Option<LastMessage> {
        self.last.get(&room).copied()
    }

    /// Takes note of a change that was applied.
    pub(super) fn add(&mut self, change: &Change, facts: &Facts) {
        match change {
            Change::InsertMessage(message) => self.add_message(message, facts),
            Change::DeleteMessage { room, .. } => self.changed_rooms.push(*room),
            Change::UpdateUser { .. } => self.changes_profiles = true,
            _ => {}
        }
    }

    fn add_message(&mut self, message: &Message, facts: &Facts) {
        let last = LastMessage { id: message.id, number: message.number };
        self.last.insert(message.room, last);
        self.messages.push((message.room, message.id, message.sender));
        match facts.users.iter().find(|user| user.key == message.sender) {
            Some(sender) => {
                let said = Said { message: message.clone(), sender: sender.clone() };
                self.said.push(Arc::new(said));
            }
            None => self.changed_rooms.push(message.room),
        }
    }

    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.messages.clear();
        self.said.clear();
        self.changed_rooms.clear();
        self.changes_profiles = false;
        self.places_written.clear();
    }
}
