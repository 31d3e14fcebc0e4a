//! One thing to be shown: written once, however many are shown it.

use std::sync::OnceLock;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use confab_domain::ids::{AgentId, RoomId};
use confab_domain::messages::room_event::{EphemeralEvent, RoomEvent, RoomEventKind};
use confab_domain::people::presence::Presence;
use confab_domain::support::trail::TrailEntry;
use confab_wire::realtime as wire;

/// What is shown.
pub(crate) enum Shown {
    /// Something happened.
    Event {
        event: RoomEvent,
        /// Who has seen it has seen everything up to here.
        cursor: String,
    },
    /// Somebody does something.
    EphemeralEvent(EphemeralEvent),
    /// Somebody comes or goes.
    Presence(Presence),
    /// A conversation looks different in inboxes: whoever shows one looks at it again.
    InboxRow(RoomId),
    /// Something happened to a customer's room.
    Trail(TrailEntry),
    /// Something happened to a note beside a conversation: the frame that says so.
    Note(String),
    /// How far a message is on its way to a customer: the frame that says so.
    ChannelState(String),
    /// Tags look different on all rows: pages read them again.
    Tags,
    /// An agent may not be who they were: whoever shows them something looks again.
    AgentChanged,
    /// Somebody serves more or fewer customers, comes or goes: inboxes look at them again.
    StaffRow(AgentId),
    /// Who has a conversation open: a frame for those who have.
    Viewers(String),
}

/// Something to be shown, with the bytes it is shown by.
pub(crate) struct Signal {
    pub(crate) shown: Shown,
    payload: OnceLock<Bytes>,
    frame: OnceLock<Utf8Bytes>,
    event_stream: OnceLock<Bytes>,
}

impl Signal {
    pub(crate) fn new(shown: Shown) -> Self {
        Self {
            shown,
            payload: OnceLock::new(),
            frame: OnceLock::new(),
            event_stream: OnceLock::new(),
        }
    }

    /// What people do is heard in a room; everything else by each user.
    pub(crate) fn is_doing(&self) -> bool {
        match &self.shown {
            Shown::Event { event, .. } => {
                matches!(event.what, RoomEventKind::Received(_) | RoomEventKind::Read(_))
            }
            Shown::EphemeralEvent(_) => true,
            Shown::Presence(_)
            | Shown::InboxRow(_)
            | Shown::Trail(_)
            | Shown::Note(_)
            | Shown::ChannelState(_)
            | Shown::Tags
            | Shown::AgentChanged
            | Shown::StaffRow(_)
            | Shown::Viewers(_) => false,
        }
    }

    /// The payload on its MQTT topic.
    pub(crate) fn payload(&self) -> &Bytes {
        self.payload.get_or_init(|| {
            Bytes::from(match &self.shown {
                Shown::Event { event, .. } => wire::payload(event),
                Shown::EphemeralEvent(doing) => wire::doing_payload(doing),
                Shown::Presence(presence) => wire::presence_payload(presence),
                Shown::InboxRow(_)
                | Shown::Trail(_)
                | Shown::Note(_)
                | Shown::ChannelState(_)
                | Shown::Tags
                | Shown::AgentChanged
                | Shown::StaffRow(_)
                | Shown::Viewers(_) => Vec::new(),
            })
        })
    }

    /// The same as a server-sent event.
    pub(crate) fn event_stream(&self) -> &Bytes {
        self.event_stream.get_or_init(|| {
            let frame = self.frame();
            Bytes::from(match &self.shown {
                Shown::Event { cursor, .. } => format!("id: {cursor}\ndata: {frame}\n\n"),
                _ => format!("data: {frame}\n\n"),
            })
        })
    }

    /// The frame on `/realtime`.
    pub(crate) fn frame(&self) -> &Utf8Bytes {
        self.frame.get_or_init(|| {
            Utf8Bytes::from(match &self.shown {
                Shown::Event { event, cursor } => wire::frame(cursor, event),
                Shown::EphemeralEvent(doing) => wire::doing_frame(doing),
                Shown::Presence(presence) => wire::presence_frame(presence),
                Shown::Trail(entry) => wire::inbox::trail(entry),
                Shown::Note(frame) | Shown::ChannelState(frame) => frame.clone(),
                Shown::Tags => wire::inbox::tags(),
                // Told within this server only.
                Shown::InboxRow(_) | Shown::AgentChanged | Shown::StaffRow(_) => String::new(),
                Shown::Viewers(frame) => frame.clone(),
            })
        })
    }
}
