//! Hints that a node sends to the others after a commit. They contain the ids of changed rows, not
//! their content (D-0040).

use bytes::Bytes;
use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::ids::{AgentId, AppId, EventId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::room_event::{EphemeralEvent, Receipt, RoomEvent, RoomEventKind};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::presence::Presence;
use confab_domain::people::user::UserId;
use confab_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::hub::EphemeralSignal;
use super::node_viewers::NodeViewers;

/// One change that other nodes must publish. The serialized names are short because hints are
/// frequent.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hint {
    /// An event was stored.
    #[serde(rename = "e")]
    Event { room: i64, id: i64, audience: i64 },
    /// A user's received or read position in a room changed. The hint contains it, because the
    /// store retains only the newest one.
    #[serde(rename = "r")]
    Receipt {
        app: i64,
        room: i64,
        id: i64,
        by: i64,
        message: i64,
        unique: String,
        number: u64,
        read: bool,
    },
    /// A user joined or left a room.
    #[serde(rename = "m")]
    Member { room: i64, user: i64, is_in: bool },
    /// A token of the user may have become invalid.
    #[serde(rename = "a")]
    Access { user: i64 },
    /// A user started or stopped typing.
    #[serde(rename = "t")]
    Typing { app: i64, room: i64, by: i64, on: bool },
    /// A user's client sent a custom event.
    #[serde(rename = "c")]
    Custom { app: i64, room: i64, by: i64, data: Box<RawValue> },
    /// A user went online or offline.
    #[serde(rename = "p")]
    Presence { user: i64, id: String, on: bool, at: i64 },
    /// The inbox row of a conversation changed.
    #[serde(rename = "i")]
    Inbox { app: i64, room: i64 },
    /// An entry was added to the trail of a customer's room.
    #[serde(rename = "l")]
    Trail { app: i64, room: i64, id: i64 },
    /// A note of a conversation changed.
    #[serde(rename = "n")]
    Note { room: i64, note: i64, what: String },
    /// The delivery state of a message to a customer may have changed.
    #[serde(rename = "h")]
    ChannelState { room: i64, message: i64 },
    /// An agent's rights may have changed.
    #[serde(rename = "g")]
    Agent { agent: i64 },
    /// An agent's load or status, as inboxes show it, changed.
    #[serde(rename = "w")]
    Staff { app: i64, agent: i64 },
    /// Tags of an app changed, and with them the inbox rows of all rooms with these tags.
    #[serde(rename = "k")]
    Tags { app: i64 },
    /// An agent's read position in a conversation changed.
    #[serde(rename = "s")]
    Seen { agent: i64, room: i64 },
    /// The agents who have a conversation open on the sending node changed.
    #[serde(rename = "v")]
    Viewers(NodeViewers),
}

impl Hint {
    /// Returns the hint for a commit event, if other nodes need one.
    pub(crate) fn of_commit_event(app: AppId, news: &CommitEvent) -> Option<Self> {
        Some(match news {
            CommitEvent::Happened(event) => Self::of_event(app, event),
            CommitEvent::Audience { room, user, is_in } => {
                Self::Member { room: room.0, user: user.0, is_in: *is_in }
            }
            CommitEvent::Access { user } => Self::Access { user: user.0 },
            CommitEvent::Note { room, note, what } => {
                Self::Note { room: room.0, note: note.0, what: what.as_str().to_owned() }
            }
            CommitEvent::ChannelState { room, message } => {
                Self::ChannelState { room: room.0, message: message.0 }
            }
            CommitEvent::Agent { agent } => Self::Agent { agent: agent.0 },
            CommitEvent::Trail(it) => Self::Trail { app: app.0, room: it.room.0, id: it.id.0 },
            CommitEvent::Tags => Self::Tags { app: app.0 },
            CommitEvent::Seen { room, agent } => Self::Seen { agent: agent.0, room: room.0 },
            // The feed sends one inbox hint for all changes of a room.
            CommitEvent::CustomerRoom { .. } => return None,
        })
    }

    /// Returns the hint for a changed inbox row.
    pub(crate) fn of_inbox((app, room): (AppId, RoomId)) -> Self {
        Self::Inbox { app: app.0, room: room.0 }
    }

    /// Returns the hint that an agent's load or status changed.
    pub(crate) fn of_staff((app, agent): (AppId, AgentId)) -> Self {
        Self::Staff { app: app.0, agent: agent.0 }
    }

    fn of_event(app: AppId, event: &RoomEvent) -> Self {
        let (room, id) = (event.room.0, event.id.0);
        match &event.what {
            RoomEventKind::Received(receipt) => Self::of_receipt(app, event, receipt, false),
            RoomEventKind::Read(receipt) => Self::of_receipt(app, event, receipt, true),
            _ => {
                let audience = event.room_then().map_or(0, |room| room.audience);
                Self::Event { room, id, audience }
            }
        }
    }

    fn of_receipt(app: AppId, event: &RoomEvent, receipt: &Receipt, read: bool) -> Self {
        Self::Receipt {
            app: app.0,
            room: event.room.0,
            id: event.id.0,
            by: receipt.by.key.0,
            message: receipt.message.0,
            unique: receipt.unique_id.to_string(),
            number: receipt.number,
            read,
        }
    }

    /// Returns the hint for an ephemeral signal, if it can be encoded.
    pub(crate) fn of_passing(passing: &EphemeralSignal) -> Option<Self> {
        Some(match passing {
            EphemeralSignal::Event(EphemeralEvent::Typing { room, by, is_typing }) => {
                Self::Typing { app: by.app.0, room: room.0, by: by.key.0, on: *is_typing }
            }
            EphemeralSignal::Event(EphemeralEvent::Custom { room, by, data }) => Self::Custom {
                app: by.app.0,
                room: room.0,
                by: by.key.0,
                data: RawValue::from_string(data.as_str().to_owned()).ok()?,
            },
            EphemeralSignal::Presence(user, presence) => Self::Presence {
                user: user.0,
                id: presence.user.as_str().to_owned(),
                on: presence.is_online,
                at: presence.at.0,
            },
            EphemeralSignal::Viewers(viewers) => Self::Viewers(viewers.clone()),
        })
    }
}

/// Builds a receipt from the fields of a hint and the user that it names.
pub(crate) fn receipt(
    by: std::sync::Arc<confab_domain::people::user::User>,
    message: i64,
    unique: String,
    number: u64,
) -> Receipt {
    let unique_id = UniqueId::from_stored(unique);
    Receipt { by, message: MessageId(message), unique_id, number }
}

/// Builds a presence signal from the fields of a hint.
pub(crate) fn presence(user: i64, id: String, on: bool, at: i64) -> EphemeralSignal {
    let presence = Presence { user: UserId::from_stored(id), is_online: on, at: Timestamp(at) };
    EphemeralSignal::Presence(UserKey(user), presence)
}

/// Returns the data of a custom event from its hint.
pub(crate) fn data(raw: &RawValue) -> JsonText {
    JsonText::from_checked(raw.get())
}

/// Converts the room and event ids of a hint.
pub(crate) fn place(room: i64, id: i64) -> (RoomId, EventId) {
    (RoomId(room), EventId(id))
}

/// Joins hints into frames, each of at most the size that the bus accepts.
pub(crate) fn frames(hints: &[Hint]) -> Vec<Bytes> {
    let mut frames = Vec::new();
    let mut frame: Vec<u8> = Vec::new();
    for hint in hints {
        // A hint has text keys only, so encoding it does not fail.
        let Ok(text) = serde_json::to_vec(hint) else { continue };
        if !frame.is_empty() && frame.len() + 1 + text.len() > limits::BUS_FRAME_BYTES_MAX {
            frames.push(Bytes::from(std::mem::take(&mut frame)));
        }
        if !frame.is_empty() {
            frame.push(b'\n');
        }
        frame.extend_from_slice(&text);
    }
    if !frame.is_empty() {
        frames.push(Bytes::from(frame));
    }
    frames
}

/// Parses the hints of a frame and skips invalid ones.
pub(crate) fn read(frame: &[u8]) -> Vec<Hint> {
    let lines = frame.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_hints_are_packed_into_few_frames_without_loss() {
        let hints: Vec<_> = (0..1000)
            .map(|id| Hint::Event { room: 1 << 50, id: id + (1 << 50), audience: 7 })
            .collect();
        let frames = frames(&hints);
        assert!(frames.len() < 20, "{}", frames.len());
        assert!(frames.iter().all(|frame| frame.len() <= limits::BUS_FRAME_BYTES_MAX));
        let back: Vec<_> = frames.iter().flat_map(|frame| read(frame)).collect();
        assert_eq!(back.len(), hints.len());
        assert!(matches!(back[999], Hint::Event { id, .. } if id == 999 + (1 << 50)));
    }

    #[test]
    fn invalid_hints_are_skipped() {
        assert!(read(b"").is_empty());
        assert!(read(b"{}\nnull\n{\"e\":{}}\n\xff").is_empty());
    }
}
