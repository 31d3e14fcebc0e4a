//! Frames of the inbox: what those who work in an app are shown of its conversations, and what
//! their pages say.

use confab_domain::channels::channel_message::PartState;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ID_END, MessageId, NoteId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::customer_room::Candidate;
use confab_domain::support::note::{Note, NoteEvent};
use confab_domain::support::trail::TrailEntry;
use confab_domain::webhooks::event::AgentProfile;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::omnichannel_api::support::counts::{InboxCounts, InboxCountsShape};
use crate::omnichannel_api::support::notes::NoteShape;
use crate::omnichannel_api::support::rooms::{CustomerRoomShape, RoomView};
use crate::person::{PersonShape, person};
use crate::sdk_api::comment::ChannelStatus;
use crate::time::to_the_microsecond;

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxRequest {
    /// It shows a conversation: it wants to see what is said there, and what was said after the
    /// last message that it has.
    Open { room: RoomId, after: Option<MessageId> },
    /// It does not show it any more.
    Close { room: RoomId },
    /// Whoever sits before it writes, or stopped writing.
    Typing { room: RoomId, is_typing: bool },
    /// They have read a conversation up to this message.
    Read { room: RoomId, message: MessageId },
    /// It wants to know whether it is heard.
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
    /// Reads a frame, or says in a sentence what is wrong with it.
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

/// The conversations that are open from the first frame on: `room_id=55&room_id=56` in the query.
pub fn read_opened(query: &str) -> Result<Vec<RoomId>, Refusal> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let mut rooms = Vec::new();
    for (_, id) in pairs.filter(|(name, _)| name == "room_id") {
        let id = id.parse().ok().filter(|id| (1..ID_END).contains(id));
        rooms.push(RoomId(id.ok_or_else(|| wrong_rooms("must be the id of a room"))?));
    }
    if rooms.len() > limits::INBOX_OPEN_ROOMS_MAX {
        return Err(wrong_rooms("is there too often"));
    }
    Ok(rooms)
}

fn wrong_rooms(problem: &str) -> Refusal {
    FieldProblem::new("room_id", problem).into()
}

/// A frame that a page is shown, beside those of the messages of open conversations.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum InboxFrame<'a> {
    /// The first one.
    Hello {
        agent_id: i64,
        #[schema(value_type = String)]
        version: &'a str,
        heartbeat_ms: u64,
    },
    /// A conversation as it is listed now.
    Room {
        row: Box<CustomerRoomShape<'a>>,
    },
    /// A conversation that was shown is not for whoever looks any more.
    RoomGone {
        room_id: String,
    },
    /// From now on what is said in a conversation is shown: what was said before can be loaded.
    Opened {
        room_id: String,
    },
    /// Something happened to a conversation that was opened.
    Trail {
        room_id: String,
        id: String,
        what: &'a str,
        by: Option<PersonShape<'a>>,
        agent: Option<PersonShape<'a>>,
        at: String,
    },
    /// So much was said in an open conversation that it must be loaded anew.
    Resync {
        room_id: String,
    },
    /// How many conversations each list has now.
    Counts(InboxCountsShape),
    /// Somebody who serves customers comes or goes, or serves more or fewer.
    Agent {
        id: i64,
        is_available: bool,
        force_offline: bool,
        /// How many customers they serve now.
        serves: u32,
    },
    /// Who has an open conversation on their screen, too.
    Viewers {
        room_id: String,
        agents: Vec<ViewerShape<'a>>,
    },
    /// The sign-in has ended: nothing comes any more.
    SignedOut {},
    /// Something happened to a note beside a conversation that the page opened.
    Note {
        room_id: String,
        /// `added`, `changed` or `deleted`.
        #[schema(value_type = String, example = "added")]
        what: &'static str,
        note: ShownNote<'a>,
    },
    /// How far a message of an open conversation is on its way to the customer of a service.
    ChannelStatus {
        room_id: String,
        comment_id: String,
        channel_status: ChannelStatus,
    },
    /// A tag of the app is called or coloured otherwise, or is there no more: rows that have it are
    /// read again.
    Tags {},
    /// What was said was not understood, or is not allowed.
    Error {
        message: &'a str,
    },
    Pong {},
}

/// Somebody who has a conversation on their screen.
#[derive(Serialize, ToSchema)]
#[schema(as = InboxViewer)]
pub struct ViewerShape<'a> {
    pub id: i64,
    pub name: &'a str,
    pub is_typing: bool,
}

/// A note, or what is left of one.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum ShownNote<'a> {
    There(NoteShape<'a>),
    /// It was deleted.
    Gone {
        id: String,
    },
}

impl InboxFrame<'_> {
    /// The text that goes over the wire.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The first frame.
pub fn hello(agent: AgentId, version: &str, heartbeat_ms: u64) -> String {
    InboxFrame::Hello { agent_id: agent.0, version, heartbeat_ms }.to_text()
}

/// A conversation as it is listed now.
pub fn room(view: &RoomView<'_>) -> String {
    InboxFrame::Room { row: Box::new(view.into()) }.to_text()
}

/// A conversation that is not shown any more.
pub fn room_gone(room: RoomId) -> String {
    InboxFrame::RoomGone { room_id: room.to_string() }.to_text()
}

/// Something that happened to a conversation.
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

/// A note that is new or reads differently.
pub fn note(note: &Note, what: NoteEvent) -> String {
    let (room_id, what) = (note.room.to_string(), what.as_str());
    InboxFrame::Note { room_id, what, note: ShownNote::There(note.into()) }.to_text()
}

/// A note that was deleted.
pub fn note_gone(room: RoomId, note: NoteId) -> String {
    let (room_id, what) = (room.to_string(), NoteEvent::Deleted.as_str());
    InboxFrame::Note { room_id, what, note: ShownNote::Gone { id: note.to_string() } }.to_text()
}

/// How far a message is on its way; nothing if it is on none.
pub fn channel_status(room: RoomId, message: MessageId, parts: &[PartState]) -> Option<String> {
    let (room_id, comment_id) = (room.to_string(), message.to_string());
    let channel_status = ChannelStatus::of(parts)?;
    Some(InboxFrame::ChannelStatus { room_id, comment_id, channel_status }.to_text())
}

pub fn opened(room: RoomId) -> String {
    InboxFrame::Opened { room_id: room.to_string() }.to_text()
}

/// So much was said in a conversation that it must be loaded anew.
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

/// Tags look different on all rows.
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
    fn pages_open_and_close_conversations() {
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
    fn conversations_are_opened_by_the_query() {
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
