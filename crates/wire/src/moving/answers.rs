//! Responses of the message API of another server (wire facts 3.1, 3.2, 3.4), as imported values
//! (design/moving). Unknown fields are ignored, and most known fields are optional.

use confab_domain::json_check::check_moved_json;
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

use super::bounds::{content, json, text, time, unchecked, unique_id};
use super::shapes::{known, name, room};
use crate::fields;

/// A user from a list, a participant of a room, or the sender of a comment.
pub type FetchedUser = MovedUser;

/// A room of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedRoom {
    /// Room id for calls to the other server.
    pub id: String,
    /// Unique id at the other server; the room id if the response has none.
    pub unique_id: RoomUniqueId,
    /// Whether the response has a unique id.
    pub has_unique_id: bool,
    pub kind: RoomKind,
    pub name: String,
    pub avatar_url: String,
    pub options: String,
}

/// A comment with its sender, of whom the response may contain only the id and the name.
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
    /// Converts the comment to a message of this room.
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

/// Parses the response of `get_user_list`. Missing times become `now`.
pub fn users(answer: &[u8], now: Timestamp) -> Result<Vec<FetchedUser>, String> {
    let list: UserList = results(answer)?;
    list.users.into_iter().map(|it| it.user(now)).collect()
}

/// Parses the response of `get_room_participants`.
pub fn participants(answer: &[u8], now: Timestamp) -> Result<Vec<FetchedUser>, String> {
    let list: ParticipantList = results(answer)?;
    list.participants.into_iter().map(|it| it.user(now)).collect()
}

/// Parses the response of `get_user_rooms`.
pub fn rooms(answer: &[u8]) -> Result<Vec<FetchedRoom>, String> {
    let list: RoomList = results(answer)?;
    list.rooms.into_iter().map(RoomShape::room).collect()
}

/// Parses the response of `load_comments`, newest first.
pub fn comments(answer: &[u8], now: Timestamp) -> Result<Vec<FetchedComment>, String> {
    let list: CommentList = results(answer)?;
    list.comments.into_iter().map(|it| it.comment(now)).collect()
}

#[derive(Deserialize)]
struct Answer<T> {
    results: T,
}

fn results<T: DeserializeOwned>(answer: &[u8]) -> Result<T, String> {
    let text = std::str::from_utf8(answer).map_err(|_| "is not valid UTF-8")?;
    check_moved_json(text)?;
    let read: Result<Answer<T>, _> = serde_json::from_str(text);
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
        let user_id = self.user_id.or(self.email).ok_or("names a user without user_id")?;
        let of_user = |problem: String| format!("has user {user_id}, which {problem}");
        let time = |field, given: Option<String>| {
            given.map_or(Ok(now), |it| time(field, &it, now)).map_err(of_user)
        };
        let name: MovedName = name("user_id", &user_id, None)?;
        let username = self.username.as_ref().unwrap_or(&user_id);
        let avatar_url = self.avatar_url.unwrap_or_default();
        Ok(MovedUser {
            is_system: is_system(&name.user),
            username: text::<fields::Name>("username", username).map_err(of_user)?,
            name,
            avatar_url: text::<fields::Picture>("avatar_url", &avatar_url).map_err(of_user)?,
            extras: json::<fields::Properties>("extras", filled(self.extras)).map_err(of_user)?,
            is_active: self.active.unwrap_or(true),
            created_at: time("created_at", self.created_at)?,
            updated_at: time("updated_at", self.updated_at)?,
            agent: None,
        })
    }
}

/// Whether a user id is that of an app's System user (wire facts 3.6).
fn is_system(user: &UserId) -> bool {
    user.as_str().starts_with("system@")
}

/// Returns the JSON; `None` if it is `{}` or `null`, which stand for missing extras.
fn filled(given: Option<Box<RawValue>>) -> Option<Box<RawValue>> {
    given.filter(|it| !matches!(it.get(), "{}" | "null"))
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
        let (name, avatar_url) = (self.room_name, self.room_avatar_url);
        let of_room = |problem: String| format!("has room {}, which {problem}", self.room_id);
        let unique = unique_id.as_ref().unwrap_or(&self.room_id);
        Ok(FetchedRoom {
            has_unique_id: unique_id.is_some(),
            unique_id: room("unique_id", unique).map_err(of_room)?,
            kind: known("room_type", &self.room_type, RoomKind::parse).map_err(of_room)?,
            name: text::<fields::Name>("room_name", &name.unwrap_or_default()).map_err(of_room)?,
            avatar_url: text::<fields::Picture>("room_avatar_url", &avatar_url.unwrap_or_default())
                .map_err(of_room)?,
            options: text::<fields::Options>("room_options", &options).map_err(of_room)?,
            id: self.room_id.clone(),
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
    /// Converts the comment. If its type is unknown or its payload is not valid for the type, the
    /// result is a custom message that contains both.
    fn comment(self, now: Timestamp) -> Result<FetchedComment, String> {
        let id = self.id;
        let of_comment = |problem: String| format!("has comment {id}, which {problem}");
        let written = self.message.unwrap_or_default();
        let payload = self.payload.map(|it| unchecked(&it));
        let (kind, payload) = match MessageKind::parse(&self.r#type) {
            // As in the API, a text has no payload.
            Some(MessageKind::Text) => (MessageKind::Text, None),
            Some(kind) if content(kind, &written, payload.as_ref()).is_ok() => (kind, payload),
            _ => {
                let content = payload.as_ref().map_or("null", JsonText::as_str);
                let payload =
                    format!(r#"{{"type":{},"content":{content}}}"#, Value::from(self.r#type));
                (MessageKind::Custom, Some(JsonText::from_checked(payload)))
            }
        };
        content(kind, &written, payload.as_ref()).map_err(of_comment)?;
        let given = self.unique_temp_id.or(self.unique_id).filter(|it| !it.is_empty());
        let given = given.unwrap_or_else(|| format!("comment-{id}"));
        let extras = json::<fields::Extras>("extras", filled(self.extras)).map_err(of_comment)?;
        Ok(FetchedComment {
            unique_id: unique_id("unique_temp_id", &given).map_err(of_comment)?,
            sender: self.user.user(now).map_err(of_comment)?,
            kind,
            text: written,
            payload,
            extras,
            posted_at: time("timestamp", &self.timestamp, now).map_err(of_comment)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-02-01
    const NOW: Timestamp = Timestamp(1_769_904_000_000_000);

    #[test]
    fn a_comment_without_a_unique_id_gets_one_from_its_integer_id() {
        // Wire facts 3.4: exactly the fields that the live service returns.
        let answer = r#"{"results":{"comments":[{"id":7,"message":"hi","type":"text",
            "payload":null,"timestamp":"2026-01-31T10:00:00Z",
            "user":{"username":"Ana","user_id":"ana","extras":{"is_customer":true}}}]},
            "status":200}"#;
        let comment = comments(answer.as_bytes(), NOW).expect("read").remove(0);
        assert_eq!((comment.unique_id.as_str(), comment.text.as_str()), ("comment-7", "hi"));
        assert_eq!(comment.sender.name.user.as_str(), "ana");
        assert_eq!((comment.payload, comment.extras), (None, None));
        assert_eq!(comment.posted_at, Timestamp(1_769_853_600_000_000));
        assert_eq!(comment.sender.created_at, NOW, "the response has no creation time");
    }

    #[test]
    fn a_comment_of_an_unknown_type_becomes_a_custom_message() {
        let answer = r#"{"results":{"comments":[{"id":7,"unique_temp_id":"u","type":"song",
            "payload":{"bars":1.50},"timestamp":"2026-01-31T10:00:00Z",
            "user":{"user_id":"ana"}}]}}"#;
        let comment = comments(answer.as_bytes(), NOW).expect("read").remove(0);
        assert_eq!(comment.kind, MessageKind::Custom);
        let payload = comment.payload.expect("a payload");
        assert_eq!(payload.as_str(), r#"{"type":"song","content":{"bars":1.50}}"#);
    }

    #[test]
    fn a_comment_with_an_invalid_payload_becomes_a_custom_message() {
        let of = |payload: &str| {
            let answer = format!(
                r#"{{"results":{{"comments":[{{"id":7,"type":"file_attachment","message":"m",
                "payload":{payload},"timestamp":"2026-01-31T10:00:00Z",
                "user":{{"user_id":"ana"}}}}]}}}}"#
            );
            comments(answer.as_bytes(), NOW)
        };
        let file = of(r#"{"url":"https://a.example/b"}"#).expect("read").remove(0);
        assert_eq!(file.kind, MessageKind::FileAttachment);
        for odd in [r#"{"url":"javascript:alert(1)"}"#, "null", "7", r#"["x"]"#] {
            let comment = of(odd).expect("read").remove(0);
            assert_eq!(comment.kind, MessageKind::Custom, "{odd}");
            let payload = comment.payload.expect("a payload");
            let expected = format!(r#"{{"type":"file_attachment","content":{odd}}}"#);
            assert_eq!(payload.as_str(), expected);
        }
        let large = format!(r#"{{"x":"{}"}}"#, "a".repeat(70_000));
        let problem = of(&large).expect_err("the payload is too large");
        assert!(problem.contains("comment 7") && problem.contains("65536 bytes"), "{problem}");
    }

    #[test]
    fn values_beyond_the_bounds_of_the_api_are_refused() {
        let user = |more: &str| {
            users(
                format!(r#"{{"results":{{"users":[{{"user_id":"ana"{more}}}]}}}}"#).as_bytes(),
                NOW,
            )
        };
        assert!(user("").is_ok());
        let deep = format!(r#","extras":{{"x":{}1{}}}"#, "[".repeat(100), "]".repeat(100));
        let long = format!(r#","username":"{}""#, "a".repeat(256));
        let wide = format!(r#","extras":{{"x":"{}"}}"#, "a".repeat(70_000));
        for wrong in [
            &deep,
            &long,
            &wide,
            r#","extras":[1]"#,
            r#","username":"a
b""#,
            r#","avatar_url":"javascript:alert(1)""#,
            r#","created_at":"9999-01-01T00:00:00Z""#,
        ] {
            assert!(user(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_room_without_a_unique_id_is_identified_by_its_integer_id() {
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
    fn an_unexpected_response_is_refused() {
        for answer in ["", "{}", r#"{"results":{}}"#, "<html>"] {
            assert!(users(answer.as_bytes(), Timestamp(0)).is_err(), "{answer}");
        }
    }
}
