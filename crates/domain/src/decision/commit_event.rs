//! What is on disk now and matters to those who are connected. The store tells it to its
//! [`CommitListener`]s, in the order of its commits (D-0041).

use crate::decision::change::{
    AgentChange, Change, ChannelChange, MessageChange, RoomChange, SupportChange, UserChange,
};
use crate::ids::{AgentId, AppId, EventId, MessageId, NoteId, RoomId, UserKey};
use crate::messages::room_event::{RoomEvent, RoomEventKind};
use crate::support::note::NoteEvent;
use crate::support::trail::TrailEntry;

/// What is on disk now and matters to those who are connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitEvent {
    /// Something happened in a room.
    Happened(RoomEvent),
    /// Somebody came into a room, or left it.
    Audience {
        /// The room.
        room: RoomId,
        user: UserKey,
        /// Whether they are in it now.
        is_in: bool,
    },
    /// What a user connected with may not be good any more.
    Access { user: UserKey },
    /// What inboxes show of a customer's room changed.
    CustomerRoom { room: RoomId },
    /// Something happened to a customer's room, which its trail has.
    Trail(TrailEntry),
    /// What one of those who work in the app has seen of a customer's room changed.
    Seen { room: RoomId, agent: AgentId },
    /// Something happened to a note beside a conversation.
    Note { room: RoomId, note: NoteId, what: NoteEvent },
    /// A message may be further on its way to a customer of a service, or have failed.
    ChannelState { room: RoomId, message: MessageId },
    /// A tag of the app is called or coloured otherwise, or is there no more: all rows that have it
    /// look different.
    Tags,
    /// An agent is something else now, or is signed in elsewhere.
    Agent { agent: AgentId },
}

impl CommitEvent {
    /// What a change, once written, means for those who are connected.
    pub fn of(change: &Change) -> Option<Self> {
        Some(match change {
            Change::Message(MessageChange::Insert { said, room }) => Self::Happened(RoomEvent {
                id: EventId(said.message.id.0),
                room: room.id,
                what: RoomEventKind::PostedMessage { said: said.clone(), room: room.clone() },
            }),
            Change::Message(MessageChange::InsertEvent(event)) => Self::Happened(event.clone()),
            Change::Room(RoomChange::AddParticipant { room, user, .. }) => {
                Self::Audience { room: *room, user: *user, is_in: true }
            }
            Change::Room(RoomChange::RemoveParticipant { room, user }) => {
                Self::Audience { room: *room, user: *user, is_in: false }
            }
            Change::User(UserChange::SetToken { user, .. }) => Self::Access { user: *user },
            Change::User(UserChange::Update { user, .. }) if !user.is_active => {
                Self::Access { user: user.key }
            }
            Change::Service(SupportChange::AddTrail(entry)) => Self::Trail(entry.clone()),
            Change::Room(RoomChange::Update(room)) if room.customer.is_some() => {
                Self::CustomerRoom { room: room.id }
            }
            Change::Service(
                SupportChange::See { room, agent, .. } | SupportChange::Unsee { room, agent, .. },
            ) => Self::Seen { room: *room, agent: *agent },
            Change::Service(SupportChange::PutNote { note, is_new }) => Self::Note {
                room: note.room,
                note: note.id,
                what: if *is_new { NoteEvent::Added } else { NoteEvent::Changed },
            },
            Change::Service(SupportChange::RemoveNote { room, note }) => {
                Self::Note { room: *room, note: *note, what: NoteEvent::Deleted }
            }
            Change::Service(SupportChange::ChangeTag(_) | SupportChange::RemoveTagOfApp { .. }) => {
                Self::Tags
            }
            Change::Service(change) => Self::CustomerRoom { room: change.room_in_inboxes()? },
            Change::Channel(ChannelChange::SetState { state, .. }) => {
                Self::ChannelState { room: state.room, message: state.message }
            }
            Change::Agent(AgentChange::Put(agent)) => Self::Agent { agent: agent.profile.user.id },
            Change::Agent(AgentChange::EndSignIns { user }) => Self::Agent { agent: *user },
            Change::Agent(AgentChange::EndSignIn { user, .. }) => Self::Agent { agent: *user },
            _ => return None,
        })
    }
}

/// Somebody who wants to hear of what is on disk.
pub trait CommitListener: Send + Sync {
    /// Called with the news of one commit, in the order of commits, before those who asked for it
    /// are answered. Must not wait.
    fn hear(&self, app_news: Vec<(AppId, CommitEvent)>);
}
