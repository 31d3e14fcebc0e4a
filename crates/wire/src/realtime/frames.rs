//! Frames of `/realtime` that are not events: requests of a client, and the server's messages about
//! the connection.

use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use confab_domain::json_check::check_json;

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientFrame {
    /// The user started or stopped typing.
    Typing {
        room: RoomRef,
        /// Whether the user is typing.
        is_typing: bool,
    },
    /// An event that the client defines, for the other participants of the room.
    Custom { room: RoomRef, data: JsonText },
    /// Subscribes to a user's presence.
    Watch(UserId),
    /// Ends the subscription to a user's presence.
    Unwatch(UserId),
    /// Subscribes to a public room.
    Follow(RoomUniqueId),
    /// Ends the subscription to a public room.
    Unfollow(RoomUniqueId),
    /// Checks the connection; the server replies with a pong.
    Ping,
}

#[derive(Deserialize)]
struct FrameFields<'a> {
    r#type: &'a str,
    room_id: Option<serde_json::Value>,
    is_typing: Option<bool>,
    user_id: Option<String>,
    unique_id: Option<String>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl ClientFrame {
    /// Parses a frame, or returns a sentence that describes the problem.
    pub fn read(text: &str) -> Result<Self, String> {
        let frame: FrameFields<'_> = serde_json::from_str(text)
            .map_err(|_| "A frame must be a JSON object with a type.".to_owned())?;
        match frame.r#type {
            "typing" => Ok(Self::Typing {
                room: frame.room()?,
                is_typing: frame.is_typing.ok_or("is_typing must be true or false.")?,
            }),
            "custom_event" => {
                let data = custom_data(frame.data.ok_or("data is missing.")?.get())?;
                Ok(Self::Custom { room: frame.room()?, data })
            }
            "watch" => Ok(Self::Watch(frame.user()?)),
            "unwatch" => Ok(Self::Unwatch(frame.user()?)),
            "follow" => Ok(Self::Follow(frame.channel()?)),
            "unfollow" => Ok(Self::Unfollow(frame.channel()?)),
            "ping" => Ok(Self::Ping),
            _ => {
                Err("type must be typing, custom_event, watch, unwatch, follow, unfollow or ping."
                    .to_owned())
            }
        }
    }
}

/// Checks the data of a custom event, or returns a sentence that describes the problem.
pub fn custom_data(text: &str) -> Result<JsonText, String> {
    if text.len() > limits::CUSTOM_EVENT_BYTES_MAX {
        return Err(format!("data must have at most {} bytes.", limits::CUSTOM_EVENT_BYTES_MAX));
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|_| "data must be JSON.")?;
    check_json(text).map_err(|problem| format!("data {problem}."))?;
    Ok(JsonText::from_checked(text))
}

impl FrameFields<'_> {
    fn room(&self) -> Result<RoomRef, String> {
        let text = match &self.room_id {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Number(number)) => number.to_string(),
            _ => return Err("room_id is missing.".to_owned()),
        };
        RoomRef::parse("room_id", &text).map_err(|problem| problem.to_string())
    }

    fn user(&self) -> Result<UserId, String> {
        let text = self.user_id.as_deref().unwrap_or_default();
        UserId::parse("user_id", text).map_err(|problem| problem.to_string())
    }

    fn channel(&self) -> Result<RoomUniqueId, String> {
        let text = self.unique_id.as_deref().unwrap_or_default();
        RoomUniqueId::parse("unique_id", text).map_err(|problem| problem.to_string())
    }
}

#[derive(Serialize)]
struct ServerFrame<'a, D> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    r#type: &'a str,
    data: D,
}

#[derive(Serialize)]
struct Hello<'a> {
    user_id: &'a str,
    heartbeat_ms: u64,
}

#[derive(Serialize)]
struct MessageText<'a> {
    message: &'a str,
}

/// Returns the first frame. A client that reconnects with `id` receives all events since then.
pub fn hello(id: &str, user: &UserId) -> String {
    let data = Hello { user_id: user.as_str(), heartbeat_ms: limits::REALTIME_HEARTBEAT_MS };
    to_text(&ServerFrame { id: Some(id), r#type: "hello", data })
}

/// Returns the frame after which a client that missed events must reload its rooms.
pub fn resync(why: &str) -> String {
    to_text(&ServerFrame { id: None, r#type: "resync", data: MessageText { message: why } })
}

/// Returns the frame that reports an invalid or forbidden request.
pub fn error(why: &str) -> String {
    to_text(&ServerFrame { id: None, r#type: "error", data: MessageText { message: why } })
}

/// Returns the reply to a ping.
pub fn pong() -> String {
    to_text(&ServerFrame { id: None, r#type: "pong", data: MessageText { message: "" } })
}

fn to_text(value: &impl Serialize) -> String {
    // Serialization cannot fail, because all keys are strings.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_frames_are_refused_with_a_sentence() {
        let typing = ClientFrame::read(r#"{"type":"typing","room_id":"55","is_typing":true}"#);
        assert!(matches!(typing, Ok(ClientFrame::Typing { is_typing: true, .. })), "{typing:?}");
        assert_eq!(ClientFrame::read(r#"{"type":"ping"}"#), Ok(ClientFrame::Ping));
        let long =
            format!(r#"{{"type":"custom_event","room_id":1,"data":"{}"}}"#, "x".repeat(5000));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"type":1}"#,
            r#"{"type":"typing"}"#,
            r#"{"type":"typing","room_id":"55"}"#,
            r#"{"type":"typing","room_id":{},"is_typing":true}"#,
            r#"{"type":"watch","user_id":"a b"}"#,
            r#"{"type":"watch"}"#,
            r#"{"type":"follow","unique_id":"a/b"}"#,
            r#"{"type":"custom_event","room_id":"55"}"#,
            r#"{"type":"dance"}"#,
            &long,
        ] {
            assert!(ClientFrame::read(wrong).is_err(), "{wrong}");
        }
    }
}
