//! Frames of the inbox connection: the server's events for agents, and requests of the dashboard
//! page.

use confab_domain::channels::channel_message::PartState;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ID_END, MessageId, NoteId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::note::{Note, NoteEvent};
use confab_domain::support::conversations::customer_room::Candidate;
use confab_domain::support::conversations::trail::TrailEntry;
use confab_domain::webhooks::event::AgentProfile;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::omnichannel_api::support::annotations::notes::NoteShape;
use crate::omnichannel_api::support::assignment::counts::{InboxCounts, InboxCountsShape};
use crate::omnichannel_api::support::rooms::{CustomerRoomShape, RoomView};
use crate::person::{PersonShape, person};
use crate::sdk_api::comment::ChannelStatus;
use crate::time::to_the_microsecond;

/// A request of a dashboard page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxRequest {
    /// The page shows a conversation and subscribes to its messages, starting after the last
    /// message that it has.
    Open { room: RoomId, after: Option<MessageId> },
    /// The page no longer shows a conversation.
    Close { room: RoomId },
    /// The agent started or stopped typing.
    Typing { room: RoomId, is_typing: bool },
    /// The agent has read a conversation up to this message.
    Read { room: RoomId, message: MessageId },
    /// Checks the connection; the server replies with a pong.
    Ping,
}

#[derive(Deserialize)]
struct RequestFields<'a> {
    r#type: &'a str,
    room_id: Option<String>,
    is_typing: Option<bool>,
    after_id: Option<String>,
    comment_id: Option<String>,
}

impl InboxRequest {
    /// Parses a frame, or returns a sentence that describes the problem.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        let fields: RequestFields<'_> = serde_json::from_str(text)
            .map_err(|_| "A frame must be a JSON object with a type, and texts as ids.")?;
        let room = || {
            let id = fields.room_id.as_deref().and_then(|id| id.parse().ok());
            id.map(RoomId).ok_or("room_id must be the id of a room.")
        };
        match fields.r#type {
            "open" => {
                let after = fields.after_id.as_deref().map(message).transpose();
                let after = after.map_err(|()| "after_id must be the id of a message.")?;
                Ok(Self::Open { room: room()?, after })
            }
            "close" => Ok(Self::Close { room: room()? }),
            "typing" => {
                let is_typing = fields.is_typing.ok_or("is_typing must be true or false.")?;
                Ok(Self::Typing { room: room()?, is_typing })
            }
            "read" => {
                let read = fields.comment_id.as_deref().ok_or(()).and_then(message);
                let message = read.map_err(|()| "comment_id must be the id of a message.")?;
                Ok(Self::Read { room: room()?, message })
            }
            "ping" => Ok(Self::Ping),
            _ => Err("type must be open, close, typing, read or ping."),
        }
    }
}

fn message(id: &str) -> Result<MessageId, ()> {
    let id = id.parse().ok().filter(|id| (0..ID_END).contains(id));
    id.map(MessageId).ok_or(())
}

/// Parses the conversations to open with the connection: `room_id=55&room_id=56` in the query.
pub fn read_opened(query: &str) -> Result<Vec<RoomId>, Refusal> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let mut rooms = Vec::new();
    for (_, id) in pairs.filter(|(name, _)| name == "room_id") {
        let id = id.parse().ok().filter(|id| (1..ID_END).contains(id));
        rooms.push(RoomId(id.ok_or_else(|| wrong_rooms("must be the id of a room"))?));
    }
    if rooms.len() > limits::INBOX_OPEN_ROOMS_MAX {
        return Err(wrong_rooms("must not occur so often"));
    }
    Ok(rooms)
}

fn wrong_rooms(problem: &str) -> Refusal {
    FieldProblem::new("room_id", problem).into()
}

/// A frame that the server sends to a dashboard page. Messages of open conversations are sent as
/// frames of `/realtime`.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum InboxFrame<'a> {
    /// First frame of a connection.
    Hello {
        agent_id: i64,
        #[schema(value_type = String)]
        version: &'a str,
        heartbeat_ms: u64,
    },
    /// Current state of a conversation in the list.
    Room {
        row: Box<CustomerRoomShape<'a>>,
    },
    /// The agent may no longer see this conversation.
    RoomGone {
        room_id: String,
    },
    /// The conversation is open: its new messages are sent from now on. Older ones can be loaded.
    Opened {
        room_id: String,
    },
    /// New entry in the history of an open conversation.
    Trail {
        room_id: String,
        id: String,
        what: &'a str,
        by: Option<PersonShape<'a>>,
        agent: Option<PersonShape<'a>>,
        at: String,
    },
    /// Some messages of an open conversation were not sent; the page must reload it.
    Resync {
        room_id: String,
    },
    /// Current number of conversations in each list.
    Counts(InboxCountsShape),
    /// The availability or the number of customers of an agent changed.
    Agent {
        id: i64,
        is_available: bool,
        force_offline: bool,
        /// Number of customers currently assigned to the agent.
        serves: u32,
    },
    /// The agents who have an open conversation on their screen, including the recipient of the
    /// frame.
    Viewers {
        room_id: String,
        agents: Vec<ViewerShape<'a>>,
    },
    /// The agent's sign-in has ended; no further frames are sent.
    SignedOut {},
    /// A note of an open conversation was added, changed or deleted.
    Note {
        room_id: String,
        /// `added`, `changed` or `deleted`.
        #[schema(value_type = String, example = "added")]
        what: &'static str,
        note: ShownNote<'a>,
    },
    /// New delivery state of a message to a provider, in an open conversation.
    ChannelStatus {
        room_id: String,
        comment_id: String,
        channel_status: ChannelStatus,
    },
    /// A tag was renamed, recolored or deleted; pages must reload rows that have it.
    Tags {},
    /// The page's request was invalid or forbidden.
    Error {
        message: &'a str,
    },
    Pong {},
}

/// An agent who has a conversation on their screen.
#[derive(Serialize, ToSchema)]
#[schema(as = InboxViewer)]
pub struct ViewerShape<'a> {
    pub id: i64,
    pub name: &'a str,
    pub is_typing: bool,
}

/// A note, or only the id of a deleted one.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum ShownNote<'a> {
    There(NoteShape<'a>),
    /// The id of a deleted note.
    Gone {
        id: String,
    },
}

impl InboxFrame<'_> {
    /// Serializes the frame.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Returns the first frame of a connection.
pub fn hello(agent: AgentId, version: &str, heartbeat_ms: u64) -> String {
    InboxFrame::Hello { agent_id: agent.0, version, heartbeat_ms }.to_text()
}

/// Returns the frame with the current state of a conversation.
pub fn room(view: &RoomView<'_>) -> String {
    InboxFrame::Room { row: Box::new(view.into()) }.to_text()
}

/// Returns the frame that removes a conversation from the page.
pub fn room_gone(room: RoomId) -> String {
    InboxFrame::RoomGone { room_id: room.to_string() }.to_text()
}

/// Returns the frame with an entry of a conversation's history.
pub fn trail(entry: &TrailEntry) -> String {
    let frame = InboxFrame::Trail {
        room_id: entry.room.to_string(),
        id: entry.id.to_string(),
        what: entry.what.as_str(),
        by: person(entry.by.as_ref()),
        agent: person(entry.agent.as_ref()),
        at: to_the_microsecond(entry.at),
    };
    frame.to_text()
}

/// Returns the frame with a new or changed note.
pub fn note(note: &Note, what: NoteEvent) -> String {
    let (room_id, what) = (note.room.to_string(), what.as_str());
    InboxFrame::Note { room_id, what, note: ShownNote::There(note.into()) }.to_text()
}

/// Returns the frame with a deleted note.
pub fn note_gone(room: RoomId, note: NoteId) -> String {
    let (room_id, what) = (room.to_string(), NoteEvent::Deleted.as_str());
    InboxFrame::Note { room_id, what, note: ShownNote::Gone { id: note.to_string() } }.to_text()
}

/// Returns the frame with a message's delivery state; `None` if the message is not sent to a
/// provider.
pub fn channel_status(room: RoomId, message: MessageId, parts: &[PartState]) -> Option<String> {
    let (room_id, comment_id) = (room.to_string(), message.to_string());
    let channel_status = ChannelStatus::of(parts)?;
    Some(InboxFrame::ChannelStatus { room_id, comment_id, channel_status }.to_text())
}

pub fn opened(room: RoomId) -> String {
    InboxFrame::Opened { room_id: room.to_string() }.to_text()
}

/// Returns the frame that makes the page reload a conversation.
pub fn resync(room: RoomId) -> String {
    InboxFrame::Resync { room_id: room.to_string() }.to_text()
}

pub fn counts(counts: &InboxCounts) -> String {
    InboxFrame::Counts(counts.into()).to_text()
}

pub fn agent(agent: &Candidate) -> String {
    let AgentProfile { user, is_available, is_forced_offline, .. } = &agent.profile;
    let (id, is_available, force_offline) = (user.id.0, *is_available, *is_forced_offline);
    InboxFrame::Agent { id, is_available, force_offline, serves: agent.serves }.to_text()
}

pub fn viewers(room: RoomId, agents: Vec<ViewerShape<'_>>) -> String {
    InboxFrame::Viewers { room_id: room.to_string(), agents }.to_text()
}

/// Returns the frame that makes the page reload rows with tags.
pub fn tags() -> String {
    InboxFrame::Tags {}.to_text()
}

pub fn signed_out() -> String {
    InboxFrame::SignedOut {}.to_text()
}

pub fn error(message: &str) -> String {
    InboxFrame::Error { message }.to_text()
}

pub fn pong() -> String {
    InboxFrame::Pong {}.to_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_open_conversations_and_mark_them_read() {
        let open = InboxRequest::read(r#"{"type":"open","room_id":"55"}"#);
        assert_eq!(open, Ok(InboxRequest::Open { room: RoomId(55), after: None }));
        let open = InboxRequest::read(r#"{"type":"open","room_id":"55","after_id":"7"}"#);
        let after = Some(MessageId(7));
        assert_eq!(open, Ok(InboxRequest::Open { room: RoomId(55), after }));
        let read = InboxRequest::read(r#"{"type":"read","room_id":"55","comment_id":"7"}"#);
        assert_eq!(read, Ok(InboxRequest::Read { room: RoomId(55), message: MessageId(7) }));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"type":"open"}"#,
            r#"{"type":"open","room_id":55}"#,
            r#"{"type":"open","room_id":"x"}"#,
            r#"{"type":"typing","room_id":"5"}"#,
            r#"{"type":"open","room_id":"5","after_id":"-1"}"#,
            r#"{"type":"read","room_id":"5"}"#,
            r#"{"type":"read","room_id":"5","comment_id":7}"#,
            r#"{"type":"shout"}"#,
        ] {
            assert!(InboxRequest::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn conversations_in_the_query_are_opened() {
        let rooms = read_opened("room_id=55&other=1&room_id=56").expect("read");
        assert_eq!(rooms, [RoomId(55), RoomId(56)]);
        assert_eq!(read_opened("").expect("read"), []);
        let many = "room_id=1&".repeat(21);
        for wrong in ["room_id=x", "room_id=", "room_id=0", "room_id=-1", many.as_str()] {
            assert!(read_opened(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn frames_have_a_type_and_data() {
        assert_eq!(room_gone(RoomId(5)), r#"{"type":"room_gone","data":{"room_id":"5"}}"#);
        assert_eq!(pong(), r#"{"type":"pong","data":{}}"#);
        assert_eq!(signed_out(), r#"{"type":"signed_out","data":{}}"#);
        let ana = ViewerShape { id: 2, name: "Ana", is_typing: true };
        let expected = r#"{"type":"viewers","data":{"room_id":"5","agents":[{"id":2,"name":"Ana","#;
        assert!(viewers(RoomId(5), vec![ana]).starts_with(expected));
    }
}
