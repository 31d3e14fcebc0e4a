//! A value that is published to connections and encoded only once for all of them.

use std::sync::OnceLock;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use confab_domain::ids::{AgentId, RoomId};
use confab_domain::messages::room_event::{EphemeralEvent, RoomEvent, RoomEventKind};
use confab_domain::people::presence::Presence;
use confab_domain::support::conversations::trail::TrailEntry;
use confab_wire::realtime as wire;

/// The content of a signal.
pub enum SignalContent {
    /// A stored event of a room.
    Event {
        event: RoomEvent,
        /// Cursor that a client has after receiving this event.
        cursor: String,
    },
    /// Typing or a custom event in a room.
    Ephemeral(EphemeralEvent),
    /// A user went online or offline.
    Presence(Presence),
    /// The inbox row of a conversation changed. Dashboard pages reload the row.
    InboxRow(RoomId),
    /// An entry was added to the trail of a customer's room.
    Trail(TrailEntry),
    /// Encoded frame for a changed note of a conversation.
    Note(String),
    /// Encoded frame for the delivery state of a message to a customer.
    ChannelState(String),
    /// Tags changed, which may affect all inbox rows. Dashboard pages reload them.
    Tags,
    /// An agent's rights may have changed. The agent's connections check them again.
    AgentChanged,
    /// An agent's load or status changed. Dashboard pages reload the agent.
    StaffRow(AgentId),
    /// Encoded frame for the viewers of a conversation.
    Viewers(String),
}

/// A signal with its encoded forms. Each form is created when it is first needed.
pub struct Signal {
    pub shown: SignalContent,
    payload: OnceLock<Bytes>,
    frame: OnceLock<Utf8Bytes>,
    event_stream: OnceLock<Bytes>,
}

impl Signal {
    pub fn new(shown: SignalContent) -> Self {
        Self {
            shown,
            payload: OnceLock::new(),
            frame: OnceLock::new(),
            event_stream: OnceLock::new(),
        }
    }

    /// Whether the signal is typing, a receipt or a custom event. Most connections receive these at
    /// the room's address instead of their user's address.
    pub(crate) fn is_doing(&self) -> bool {
        match &self.shown {
            SignalContent::Event { event, .. } => {
                matches!(event.what, RoomEventKind::Received(_) | RoomEventKind::Read(_))
            }
            SignalContent::Ephemeral(_) => true,
            SignalContent::Presence(_)
            | SignalContent::InboxRow(_)
            | SignalContent::Trail(_)
            | SignalContent::Note(_)
            | SignalContent::ChannelState(_)
            | SignalContent::Tags
            | SignalContent::AgentChanged
            | SignalContent::StaffRow(_)
            | SignalContent::Viewers(_) => false,
        }
    }

    /// Returns the MQTT payload of the signal.
    pub(crate) fn payload(&self) -> &Bytes {
        self.payload.get_or_init(|| {
            Bytes::from(match &self.shown {
                SignalContent::Event { event, .. } => wire::payload(event),
                SignalContent::Ephemeral(doing) => wire::doing_payload(doing),
                SignalContent::Presence(presence) => wire::presence_payload(presence),
                SignalContent::InboxRow(_)
                | SignalContent::Trail(_)
                | SignalContent::Note(_)
                | SignalContent::ChannelState(_)
                | SignalContent::Tags
                | SignalContent::AgentChanged
                | SignalContent::StaffRow(_)
                | SignalContent::Viewers(_) => Vec::new(),
            })
        })
    }

    /// Returns the signal as a server-sent event.
    pub fn event_stream(&self) -> &Bytes {
        self.event_stream.get_or_init(|| {
            let frame = self.frame();
            Bytes::from(match &self.shown {
                SignalContent::Event { cursor, .. } => format!("id: {cursor}\ndata: {frame}\n\n"),
                _ => format!("data: {frame}\n\n"),
            })
        })
    }

    /// Returns the WebSocket frame of the signal, for `/realtime`.
    pub fn frame(&self) -> &Utf8Bytes {
        self.frame.get_or_init(|| {
            Utf8Bytes::from(match &self.shown {
                SignalContent::Event { event, cursor } => wire::frame(cursor, event),
                SignalContent::Ephemeral(doing) => wire::doing_frame(doing),
                SignalContent::Presence(presence) => wire::presence_frame(presence),
                SignalContent::Trail(entry) => wire::inbox::trail(entry),
                SignalContent::Note(frame) | SignalContent::ChannelState(frame) => frame.clone(),
                SignalContent::Tags => wire::inbox::tags(),
                // Internal signals have no frame.
                SignalContent::InboxRow(_)
                | SignalContent::AgentChanged
                | SignalContent::StaffRow(_) => String::new(),
                SignalContent::Viewers(frame) => frame.clone(),
            })
        })
    }
}
