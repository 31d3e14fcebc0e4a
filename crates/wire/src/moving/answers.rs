//! Responses of another server's message API (wire facts 3.1, 3.2, 3.4), read for an import
//! (D-0176). Unknown fields are ignored, and few of the known ones are required.

use confab_domain::json_text::JsonText;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::moving::moved::{MovedMessage, MovedName, MovedUser};
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::{RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::shapes::{json, known, name, room, text, time, unique_id};

/// A user in a list or in a room, or the sender of a comment.
pub type FetchedUser = MovedUser;

/// A room of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedRoom {
    /// Room id in calls of the other server.
    pub id: String,
    /// Unique id, or the room id if the other server reports none.
    pub unique_id: RoomUniqueId,
    /// Whether the other server reported a unique id.
    pub has_unique_id: bool,
    pub kind: RoomKind,
    pub name: String,
    pub avatar_url: String,
    pub options: String,
}

/// A comment and its sender, with the fields that the other server reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedComment {
    pub unique_id: UniqueId,
    pub sender: FetchedUser,
    pub kind: MessageKind,
    pub text: String,
    pub payload: Option<JsonText>,
    pub extras: Option<JsonText>,
    pub posted_at: Timestamp,
}

impl FetchedComment {
    /// Converts the comment to a message of a room.
    pub fn into_message(self, room: RoomUniqueId) -> MovedMessage {
        MovedMessage {
            room,
            unique_id: self.unique_id,
            sender: self.sender.name,
            kind: self.kind,
            text: self.text,
            payload: self.payload,
            extras: self.extras,
            posted_at: self.posted_at,
            is_deleted: false,
        }
    }
}

/// Reads the response of `get_user_list`; users without times were created `now`.
pub fn users(answer: &[u8], now: Timestamp) -> Result<Vec<FetchedUser>, String> {
    let list: UserList = results(answer)?;
    list.users.into_iter().map(|it| it.user(now)).collect()
}

/// Reads the response of `get_room_participants`.
pub fn participants(answer: &[u8], now: Timestamp) -> Result<Vec<FetchedUser>, String> {
    let list: ParticipantList = results(answer)?;
    list.participants.into_iter().map(|it| it.user(now)).collect()
}

/// Reads the response of `get_user_rooms`.
pub fn rooms(answer: &[u8]) -> Result<Vec<FetchedRoom>, String> {
    let list: RoomList = results(answer)?;
    list.rooms.into_iter().map(RoomShape::room).collect()
}

/// Reads the response of `load_comments`: comments, newest first.
pub fn comments(answer: &[u8], now: Timestamp) -> Result<Vec<FetchedComment>, String> {
    let list: CommentList = results(answer)?;
    list.comments.into_iter().map(|it| it.comment(now)).collect()
}

#[derive(Deserialize)]
struct Answer<T> {
    results: T,
}

fn results<T: DeserializeOwned>(answer: &[u8]) -> Result<T, String> {
    let read: Result<Answer<T>, _> = serde_json::from_slice(answer);
    read.map(|answer| answer.results).map_err(|error| format!("cannot be parsed: {error}"))
}

#[derive(Deserialize)]
struct UserList {
    users: Vec<UserShape>,
}

#[derive(Deserialize)]
struct ParticipantList {
    participants: Vec<UserShape>,
}

#[derive(Deserialize)]
struct RoomList {
    rooms: Vec<RoomShape>,
}

#[derive(Deserialize)]
struct CommentList {
    comments: Vec<CommentShape>,
}

#[derive(Deserialize)]
struct UserShape {
    active: Option<bool>,
    avatar_url: Option<String>,
    created_at: Option<String>,
    email: Option<String>,
    extras: Option<Box<RawValue>>,
    updated_at: Option<String>,
    user_id: Option<String>,
    username: Option<String>,
}

impl UserShape {
    fn user(self, now: Timestamp) -> Result<FetchedUser, String> {
        let user_id = self.user_id.or(self.email).ok_or("contains a user without user_id")?;
        let time = |field, given: Option<String>| given.map_or(Ok(now), |it| time(field, &it));
        let name: MovedName = name("user_id", &user_id, None)?;
        Ok(MovedUser {
            is_system: is_system(&name.user),
            username: text("username", self.username.unwrap_or(user_id))?,
            name,
            avatar_url: text("avatar_url", self.avatar_url.unwrap_or_default())?,
            extras: filled(self.extras),
            is_active: self.active.unwrap_or(true),
            created_at: time("created_at", self.created_at)?,
            updated_at: time("updated_at", self.updated_at)?,
            agent: None,
        })
    }
}

/// Whether the user is an app's System user, whose id begins with `system@` (wire facts 3.6).
fn is_system(user: &UserId) -> bool {
    user.as_str().starts_with("system@")
}

/// Returns the JSON; `None` for `{}`, which the other server reports if there is none.
fn filled(given: Option<Box<RawValue>>) -> Option<JsonText> {
    let given = given.filter(|it| !matches!(it.get(), "{}" | "null"));
    given.map(|it| JsonText::from_checked(it.get()))
}

#[derive(Deserialize)]
struct RoomShape {
    room_avatar_url: Option<String>,
    room_channel_id: Option<String>,
    room_id: String,
    room_name: Option<String>,
    room_options: Option<String>,
    room_type: String,
    unique_id: Option<String>,
}

impl RoomShape {
    fn room(self) -> Result<FetchedRoom, String> {
        let unique_id = self.unique_id.or(self.room_channel_id).filter(|it| !it.is_empty());
        let options = self.room_options.filter(|it| it != "{}").unwrap_or_default();
        Ok(FetchedRoom {
            has_unique_id: unique_id.is_some(),
            unique_id: room("unique_id", unique_id.as_ref().unwrap_or(&self.room_id))?,
            id: self.room_id,
            kind: known("room_type", &self.room_type, RoomKind::parse)?,
            name: text("room_name", self.room_name.unwrap_or_default())?,
            avatar_url: text("room_avatar_url", self.room_avatar_url.unwrap_or_default())?,
            options: text("room_options", options)?,
        })
    }
}

#[derive(Deserialize)]
struct CommentShape {
    id: i64,
    unique_temp_id: Option<String>,
    unique_id: Option<String>,
    message: Option<String>,
    payload: Option<Box<RawValue>>,
    extras: Option<Box<RawValue>>,
    timestamp: String,
    r#type: String,
    user: UserShape,
}

impl CommentShape {
    /// Converts a comment. One of an unknown type becomes a custom message with that type.
    fn comment(self, now: Timestamp) -> Result<FetchedComment, String> {
        let (kind, payload) = match MessageKind::parse(&self.r#type) {
            Some(kind) => (kind, json(self.payload)),
            None => {
                let content = self.payload.as_deref().map_or("null", RawValue::get);
                let payload =
                    format!(r#"{{"type":{},"content":{content}}}"#, Value::from(self.r#type));
                (MessageKind::Custom, Some(JsonText::from_checked(payload)))
            }
        };
        let given = self.unique_temp_id.or(self.unique_id).filter(|it| !it.is_empty());
        let given = given.unwrap_or_else(|| format!("comment-{}", self.id));
        Ok(FetchedComment {
            unique_id: unique_id("unique_temp_id", &given)?,
            sender: self.user.user(now)?,
            kind,
            text: text("message", self.message.unwrap_or_default())?,
            payload,
            extras: filled(self.extras),
            posted_at: time("timestamp", &self.timestamp)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_of_the_live_server_is_read_without_unique_id() {
        // Wire facts 3.4: the fields that the live server reports.
        let answer = r#"{"results":{"comments":[{"id":7,"message":"hi","type":"text",
            "payload":null,"timestamp":"2026-01-31T10:00:00Z",
            "user":{"username":"Ana","user_id":"ana","extras":{"is_customer":true}}}]},
            "status":200}"#;
        let comment = comments(answer.as_bytes(), Timestamp(5)).expect("read").remove(0);
        assert_eq!((comment.unique_id.as_str(), comment.text.as_str()), ("comment-7", "hi"));
        assert_eq!(comment.sender.name.user.as_str(), "ana");
        assert_eq!((comment.payload, comment.extras), (None, None));
        assert_eq!(comment.posted_at, Timestamp(1_769_853_600_000_000));
        assert_eq!(comment.sender.created_at, Timestamp(5), "the response has no time of creation");
    }

    #[test]
    fn a_comment_of_an_unknown_type_becomes_a_custom_message() {
        let answer = r#"{"results":{"comments":[{"id":7,"unique_temp_id":"u","type":"song",
            "payload":{"bars":1.50},"timestamp":"2026-01-31T10:00:00Z",
            "user":{"user_id":"ana"}}]}}"#;
        let comment = comments(answer.as_bytes(), Timestamp(5)).expect("read").remove(0);
        assert_eq!(comment.kind, MessageKind::Custom);
        let payload = comment.payload.expect("a payload");
        assert_eq!(payload.as_str(), r#"{"type":"song","content":{"bars":1.50}}"#);
    }

    #[test]
    fn the_unique_id_of_a_room_defaults_to_its_id() {
        let of = |more: &str| {
            let answer = format!(
                r#"{{"results":{{"rooms":[{{"room_id":"55","room_type":"group"{more}}}]}}}}"#
            );
            let room = rooms(answer.as_bytes()).expect("read").remove(0);
            (room.unique_id.as_str().to_owned(), room.has_unique_id)
        };
        assert_eq!(of(""), ("55".to_owned(), false));
        assert_eq!(of(r#","room_channel_id":"""#), ("55".to_owned(), false));
        assert_eq!(of(r#","room_channel_id":"news""#), ("news".to_owned(), true));
        assert_eq!(of(r#","unique_id":"u","room_channel_id":"""#), ("u".to_owned(), true));
    }

    #[test]
    fn a_response_of_another_format_is_refused() {
        for answer in ["", "{}", r#"{"results":{}}"#, "<html>"] {
            assert!(users(answer.as_bytes(), Timestamp(0)).is_err(), "{answer}");
        }
    }
}
