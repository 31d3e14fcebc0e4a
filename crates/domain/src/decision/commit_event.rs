//! What those in a room are shown the moment it happened.
//!
//! A message is an event by itself; everything else that happens to messages (edited, deleted,
//! read) is an event beside them. The store says what happened once it is on disk, in the order of
//! its commits, to whoever [`Hears`] it (D-0041).

use crate::decision::change::Change;
use crate::ids::{AppId, EventId, RoomId, UserKey};
use crate::messages::room_event::{Event, What};

/// What is on disk now and matters to those who are connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// Something happened in a room.
    Happened(Event),
    /// Somebody came into a room, or left it.
    Audience {
        /// The room.
        room: RoomId,
        /// Who.
        user: UserKey,
        /// Whether they are in it now.
        is_in: bool,
    },
    /// What a user connected with may not be good any more.
    Access {
        /// Whose.
        user: UserKey,
    },
}

impl News {
    /// What a change, once written, means for those who are connected.
    pub fn of(change: &Change) -> Option<Self> {
        Some(match change {
            Change::InsertMessage { said, room } => Self::Happened(Event {
                id: EventId(said.message.id.0),
                room: room.id,
                what: What::Said { said: said.clone(), room: room.clone() },
            }),
            Change::InsertEvent(event) => Self::Happened(event.clone()),
            Change::AddParticipant { room, user, .. } => {
                Self::Audience { room: *room, user: *user, is_in: true }
            }
            Change::RemoveParticipant { room, user } => {
                Self::Audience { room: *room, user: *user, is_in: false }
            }
            Change::SetToken { user, .. } => Self::Access { user: *user },
            Change::UpdateUser { user, .. } if !user.is_active => Self::Access { user: user.key },
            _ => return None,
        })
    }
}

/// Somebody who wants to hear of what is on disk.
pub trait Hears: Send + Sync {
    /// Called with the news of one commit, in the order of commits, before those who asked for it
    /// are answered. Must not wait.
    fn hear(&self, app_news: Vec<(AppId, News)>);
}
