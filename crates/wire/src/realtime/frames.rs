//! Frames of `/realtime` that are not events: what a client says, and what it is told about itself.

use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json_check::check_json;

/// What a client says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientFrame {
    /// The user writes, or stopped writing.
    Typing {
        room: RoomRef,
        /// Whether they write now.
        is_typing: bool,
    },
    /// Whatever others in the room shall know.
    Custom { room: RoomRef, data: JsonText },
    /// The client wants to know whether somebody is there.
    Watch(UserId),
    /// The client does not want to know it any more.
    Unwatch(UserId),
    /// The client wants to see a public channel.
    Follow(RoomUniqueId),
    /// The client does not want to see it any more.
    Unfollow(RoomUniqueId),
    /// The client wants to know whether it is heard.
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
    /// Reads a frame, or says in a sentence what is wrong with it.
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

/// Checks what a custom event holds, or says in a sentence what is wrong with it.
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

/// The first frame: who sends its id back sees everything that happens from now on.
pub fn hello(id: &str, user: &UserId) -> String {
    let data = Hello { user_id: user.as_str(), heartbeat_ms: limits::REALTIME_HEARTBEAT_MS };
    told(&ServerFrame { id: Some(id), r#type: "hello", data })
}

/// Not everything that was missed is shown: the client must load its rooms anew.
pub fn resync(why: &str) -> String {
    told(&ServerFrame { id: None, r#type: "resync", data: MessageText { message: why } })
}

/// A frame was not understood, or not allowed.
pub fn error(why: &str) -> String {
    told(&ServerFrame { id: None, r#type: "error", data: MessageText { message: why } })
}

/// The answer to a ping.
pub fn pong() -> String {
    told(&ServerFrame { id: None, r#type: "pong", data: MessageText { message: "" } })
}

fn told(value: &impl Serialize) -> String {
    // Text keys only: nothing here can fail to be written.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_or_refused_with_a_sentence() {
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
