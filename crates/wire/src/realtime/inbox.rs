//! Frames of the inbox: what those who work in an app are shown of its conversations, and what
//! their pages say.

use confab_domain::ids::{AgentId, NoteId, RoomId};
use confab_domain::service::note::{Note, NoteEvent};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::omnichannel_api::service::notes::NoteShape;
use crate::omnichannel_api::service::rooms::{CustomerRoomShape, RoomView};

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxRequest {
    /// It shows a conversation: it wants to see what is said there.
    Open { room: RoomId },
    /// It does not show it any more.
    Close { room: RoomId },
    /// Whoever sits before it writes, or stopped writing.
    Typing { room: RoomId, is_typing: bool },
    /// It wants to know whether it is heard.
    Ping,
}

#[derive(Deserialize)]
struct RequestFields<'a> {
    r#type: &'a str,
    room_id: Option<String>,
    is_typing: Option<bool>,
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
            "open" => Ok(Self::Open { room: room()? }),
            "close" => Ok(Self::Close { room: room()? }),
            "typing" => {
                let is_typing = fields.is_typing.ok_or("is_typing must be true or false.")?;
                Ok(Self::Typing { room: room()?, is_typing })
            }
            "ping" => Ok(Self::Ping),
            _ => Err("type must be open, close, typing or ping."),
        }
    }
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
    /// Something happened to a note beside a conversation that the page opened.
    Note {
        room_id: String,
        /// `added`, `changed` or `deleted`.
        #[schema(value_type = String, example = "added")]
        what: &'static str,
        note: ShownNote<'a>,
    },
    /// What was said was not understood, or is not allowed.
    Error {
        message: &'a str,
    },
    Pong {},
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

pub fn opened(room: RoomId) -> String {
    InboxFrame::Opened { room_id: room.to_string() }.to_text()
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
        assert_eq!(open, Ok(InboxRequest::Open { room: RoomId(55) }));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"type":"open"}"#,
            r#"{"type":"open","room_id":55}"#,
            r#"{"type":"open","room_id":"x"}"#,
            r#"{"type":"typing","room_id":"5"}"#,
            r#"{"type":"shout"}"#,
        ] {
            assert!(InboxRequest::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn frames_have_a_type_and_data() {
        assert_eq!(room_gone(RoomId(5)), r#"{"type":"room_gone","data":{"room_id":"5"}}"#);
        assert_eq!(pong(), r#"{"type":"pong","data":{}}"#);
    }
}
