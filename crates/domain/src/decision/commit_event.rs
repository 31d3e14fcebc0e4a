//! Commit events: committed changes that connected clients must see. The store passes them to its
//! [`CommitListener`], in commit order (D-0041).

use crate::decision::change::{
    AgentChange, Change, ChannelChange, MessageChange, RoomChange, SupportChange, UserChange,
};
use crate::ids::{AgentId, AppId, EventId, MessageId, NoteId, RoomId, UserKey};
use crate::messages::room_event::{RoomEvent, RoomEventKind};
use crate::support::annotations::note::NoteEvent;
use crate::support::conversations::trail::TrailEntry;

/// A committed change that connected clients must see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitEvent {
    /// An event in a room.
    Happened(RoomEvent),
    /// A user joined or left a room.
    Audience {
        room: RoomId,
        user: UserKey,
        /// Whether the user is a participant now.
        is_in: bool,
    },
    /// The credentials of a user may no longer be valid.
    Access { user: UserKey },
    /// The inbox row of a customer's room changed.
    CustomerRoom { room: RoomId },
    /// A new entry in the history of a customer's room.
    Trail(TrailEntry),
    /// The position up to which an agent has seen a customer's room changed.
    Seen { room: RoomId, agent: AgentId },
    /// A note on a conversation was added, changed or deleted.
    Note { room: RoomId, note: NoteId, what: NoteEvent },
    /// The delivery state of a message to a provider's customer may have changed.
    ChannelState { room: RoomId, message: MessageId },
    /// A tag of the app was renamed, recolored or deleted, which changes the inbox rows of all
    /// rooms with the tag.
    Tags,
    /// An agent was created or changed, or one of their sign-ins ended.
    Agent { agent: AgentId },
}

impl CommitEvent {
    /// Returns the event of a change, if connected clients must see it.
    pub fn of(change: &Change) -> Option<Self> {
        Some(match change {
            Change::Message(MessageChange::Insert { posted, room }) => Self::Happened(RoomEvent {
                id: EventId(posted.message.id.0),
                room: room.id,
                what: RoomEventKind::Posted { posted: posted.clone(), room: room.clone() },
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

/// Receiver of commit events.
pub trait CommitListener: Send + Sync {
    /// Receives the events of one commit. The store calls it in commit order, before it returns to
    /// the callers whose writes were committed. Must not block.
    fn receive(&self, app_news: Vec<(AppId, CommitEvent)>);
}
