//! Public JSON for connected clients: MQTT payloads (wire facts 4.4) and frames of `/realtime`.

use confab_domain::messages::room_event::{EphemeralEvent, Receipt, RoomEvent, RoomEventKind};
use confab_domain::people::presence::Presence;
use confab_domain::people::user::User;
use serde::Serialize;

use crate::raw_json::raw;
use crate::sdk_api::comment::ClientComment;
use crate::sdk_api::messages::ClearedRoom;

pub mod frames;
pub mod inbox;
#[cfg(feature = "document")]
pub mod schema;
#[cfg(test)]
mod tests;

/// Returns the MQTT payload of an event.
pub fn payload(event: &RoomEvent) -> Vec<u8> {
    match &event.what {
        RoomEventKind::Posted { posted, room } | RoomEventKind::Edited { posted, room } => {
            json(&ClientComment::shown(posted, room))
        }
        RoomEventKind::Deleted { .. } | RoomEventKind::Cleared { .. } => json(&notification(event)),
        RoomEventKind::Received(receipt) | RoomEventKind::Read(receipt) => {
            format!("{}:{}", receipt.message, receipt.unique_id).into_bytes()
        }
    }
}

/// Returns the MQTT payload of an ephemeral event.
pub fn doing_payload(doing: &EphemeralEvent) -> Vec<u8> {
    match doing {
        EphemeralEvent::Typing { is_typing, .. } => if *is_typing { b"1" } else { b"0" }.to_vec(),
        EphemeralEvent::Custom { data, .. } => data.as_str().as_bytes().to_vec(),
    }
}

/// Returns the MQTT payload of a presence, such as `1:1769853600000` for online or
/// `0:1769853600000` for offline.
pub fn presence_payload(presence: &Presence) -> Vec<u8> {
    format!("{}:{:013}", u8::from(presence.is_online), presence.at.unix_ms()).into_bytes()
}

/// Returns the frame of an event on `/realtime`. A client that reconnects with `id` receives the
/// events after it.
pub fn frame(id: &str, event: &RoomEvent) -> String {
    let framed = |r#type, data| text(&EventFrame { id: Some(id), r#type, data });
    match &event.what {
        RoomEventKind::Posted { posted, room } => {
            framed("message", FrameData::Comment(Box::new(ClientComment::shown(posted, room))))
        }
        RoomEventKind::Edited { posted, room } => framed(
            "message_updated",
            FrameData::Comment(Box::new(ClientComment::shown(posted, room))),
        ),
        RoomEventKind::Deleted { by, messages, is_hard } => {
            let messages = messages.iter().map(ToString::to_string).collect();
            let room_id = event.room.to_string();
            let by = by.user_id.as_str();
            framed(
                "messages_deleted",
                FrameData::Deleted { room_id, unique_ids: messages, is_hard_delete: *is_hard, by },
            )
        }
        RoomEventKind::Cleared { .. } => {
            framed("room_cleared", FrameData::Room { room_id: event.room.to_string() })
        }
        RoomEventKind::Received(receipt) => framed("delivered", FrameData::receipt(event, receipt)),
        RoomEventKind::Read(receipt) => framed("read", FrameData::receipt(event, receipt)),
    }
}

/// Returns the frame of an ephemeral event on `/realtime`. It has no id, because such events are
/// sent only once.
pub fn doing_frame(doing: &EphemeralEvent) -> String {
    match doing {
        EphemeralEvent::Typing { room, by, is_typing } => text(&EventFrame {
            id: None,
            r#type: "typing",
            data: FrameData::Typing {
                room_id: room.to_string(),
                user_id: by.user_id.as_str(),
                username: &by.username,
                is_typing: *is_typing,
            },
        }),
        EphemeralEvent::Custom { room, by, data } => text(&EventFrame {
            id: None,
            r#type: "custom_event",
            data: FrameData::Custom {
                room_id: room.to_string(),
                user_id: by.user_id.as_str(),
                data: raw(data),
            },
        }),
    }
}

/// Returns the frame of a user's presence on `/realtime`.
pub fn presence_frame(presence: &Presence) -> String {
    let Presence { user, is_online, at } = presence;
    let data =
        FrameData::Presence { user_id: user.as_str(), is_online: *is_online, at_ms: at.unix_ms() };
    text(&EventFrame { id: None, r#type: "presence", data })
}

#[derive(Serialize)]
struct EventFrame<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    r#type: &'a str,
    data: FrameData<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FrameData<'a> {
    Comment(Box<ClientComment<'a>>),
    Deleted { room_id: String, unique_ids: Vec<String>, is_hard_delete: bool, by: &'a str },
    Room { room_id: String },
    Receipt { room_id: String, user_id: &'a str, comment_id: i64, unique_id: String },
    Typing { room_id: String, user_id: &'a str, username: &'a str, is_typing: bool },
    Custom { room_id: String, user_id: &'a str, data: &'a serde_json::value::RawValue },
    Presence { user_id: &'a str, is_online: bool, at_ms: i64 },
}

impl<'a> FrameData<'a> {
    fn receipt(event: &RoomEvent, receipt: &'a Receipt) -> Self {
        Self::Receipt {
            room_id: event.room.to_string(),
            user_id: receipt.by.user_id.as_str(),
            comment_id: receipt.message.0,
            unique_id: receipt.unique_id.to_string(),
        }
    }
}

/// An event as sent to `{token}/n` and returned by `sync_event`.
#[derive(Serialize)]
pub struct Notification<'a> {
    id: i64,
    /// Time of the event, in nanoseconds since 1970.
    timestamp: i64,
    action_topic: &'static str,
    payload: NotificationPayload<'a>,
}

#[derive(Serialize)]
struct NotificationPayload<'a> {
    actor: Actor<'a>,
    data: NotificationData<'a>,
    /// A copy of the deleted messages or cleared rooms next to `data`, where a published SDK
    /// expects them. Without it, the SDK discards a whole page of `sync_event`.
    #[serde(flatten)]
    legacy_data: Option<LegacyData<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum LegacyData<'a> {
    DeletedMessages([DeletedMessages; 1]),
    DeletedRooms([ClearedRoom<'a>; 1]),
}

#[derive(Serialize)]
struct Actor<'a> {
    id: String,
    email: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum NotificationData<'a> {
    Deleted { is_hard_delete: bool, deleted_messages: [DeletedMessages; 1] },
    Cleared { deleted_rooms: [ClearedRoom<'a>; 1] },
    Receipt { comment_id: i64, comment_unique_id: String, email: &'a str, room_id: i64 },
    Edited { comment: Box<ClientComment<'a>> },
}

#[derive(Clone, Serialize)]
struct DeletedMessages {
    room_id: String,
    message_unique_ids: Vec<String>,
}

/// Returns an event as sent to `{token}/n` and returned by `sync_event` (wire facts 4.4).
pub fn notification(event: &RoomEvent) -> Notification<'_> {
    let room_id = event.room.to_string();
    let mut legacy_data = None;
    let (action_topic, by, data): (_, &User, _) = match &event.what {
        RoomEventKind::Deleted { by, messages, is_hard } => {
            let message_unique_ids = messages.iter().map(ToString::to_string).collect();
            let deleted_messages = [DeletedMessages { room_id, message_unique_ids }];
            legacy_data = Some(LegacyData::DeletedMessages(deleted_messages.clone()));
            let data = NotificationData::Deleted { is_hard_delete: *is_hard, deleted_messages };
            ("delete_message", by, data)
        }
        RoomEventKind::Cleared { by, room, .. } => {
            legacy_data = Some(LegacyData::DeletedRooms([ClearedRoom::of(room)]));
            ("clear_room", by, NotificationData::Cleared { deleted_rooms: [ClearedRoom::of(room)] })
        }
        RoomEventKind::Received(receipt) => ("delivered", &receipt.by, of_receipt(event, receipt)),
        RoomEventKind::Read(receipt) => ("read", &receipt.by, of_receipt(event, receipt)),
        RoomEventKind::Posted { posted, room } | RoomEventKind::Edited { posted, room } => {
            let comment = Box::new(ClientComment::shown(posted, room));
            ("update_message", &posted.sender, NotificationData::Edited { comment })
        }
    };
    Notification {
        id: event.id.0,
        timestamp: event.id.made_at().0.saturating_mul(1000),
        action_topic,
        payload: NotificationPayload {
            actor: Actor { id: by.key.to_string(), email: by.user_id.as_str(), name: &by.username },
            data,
            legacy_data,
        },
    }
}

fn of_receipt<'a>(event: &RoomEvent, receipt: &'a Receipt) -> NotificationData<'a> {
    NotificationData::Receipt {
        comment_id: receipt.message.0,
        comment_unique_id: receipt.unique_id.to_string(),
        email: receipt.by.user_id.as_str(),
        room_id: event.room.0,
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    // Serialization cannot fail, because all keys are strings.
    serde_json::to_vec(value).unwrap_or_default()
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A frame that the server sends: an event of a room, an ephemeral event, or a message about the
/// connection.
pub struct RealtimeFrame;
