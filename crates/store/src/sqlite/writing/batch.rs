//! Changes of the running commit. They are facts for later decisions in the commit, and are
//! published to readers once it is on disk.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::decision::change::{Change, MessageChange, UserChange};
use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::PostedMessage;
use confab_domain::rooms::room::LastMessage;

/// The collected changes of the running commit.
#[derive(Default)]
pub(crate) struct Batch {
    last: HashMap<RoomId, LastMessage>,
    pub(crate) messages: Vec<(RoomId, MessageId, UserKey)>,
    pub(crate) posted: Vec<Arc<PostedMessage>>,
    pub(crate) changed_rooms: Vec<RoomId>,
    pub(crate) changes_profiles: bool,
    pub(crate) places_written: Vec<RoomId>,
    pub(crate) news: Vec<(AppId, CommitEvent)>,
    /// Whether there is anything to commit.
    pub(crate) has_changes: bool,
}

impl Batch {
    /// Returns the newest message of a room, if the running commit posts it.
    pub(crate) fn last(&self, room: RoomId) -> Option<LastMessage> {
        self.last.get(&room).copied()
    }

    /// Records a change that was applied.
    pub(crate) fn add(&mut self, change: &Change) {
        self.has_changes = true;
        match change {
            Change::Message(MessageChange::Insert { posted, .. }) => self.add_message(posted),
            Change::Message(MessageChange::InsertEvent(event)) => {
                self.changed_rooms.push(event.room)
            }
            Change::Message(MessageChange::Delete { room, .. }) => self.changed_rooms.push(*room),
            Change::User(UserChange::Update { .. }) => self.changes_profiles = true,
            _ => {}
        }
    }

    fn add_message(&mut self, posted: &Arc<PostedMessage>) {
        let message = &posted.message;
        let last = LastMessage { id: message.id, number: message.number };
        self.last.insert(message.room, last);
        self.messages.push((message.room, message.id, message.sender));
        self.posted.push(posted.clone());
    }

    pub(crate) fn clear(&mut self) {
        self.last.clear();
        self.messages.clear();
        self.posted.clear();
        self.changed_rooms.clear();
        self.changes_profiles = false;
        self.places_written.clear();
        self.news.clear();
        self.has_changes = false;
    }
}
