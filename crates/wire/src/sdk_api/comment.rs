//! A message as clients see it (wire facts 4.3): richer than the comment of the message API.

use confab_domain::channels::channel_message::{PartState, whole_state};
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::rooms::room::{Room, RoomKind};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::raw_json::{empty, options_of, raw};
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::{to_the_microsecond, to_the_second};

/// How far a message got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is stored.
    Sent,
    /// It reached everybody in the room.
    Delivered,
    /// Everybody in the room read it.
    Read,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
        }
    }
}

/// A comment as clients see it. Every integer id is there as text too.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientComment<'a> {
    comment_before_id: i64,
    comment_before_id_str: String,
    created_at: String,
    disable_link_preview: bool,
    /// The sender's user id.
    email: &'a str,
    #[schema(value_type = serde_json::Value)]
    extras: &'a RawValue,
    id: i64,
    id_str: String,
    is_deleted: bool,
    /// Whether it was corrected; only where those read who work in the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_edited: Option<bool>,
    /// How far it is on its way to the customer of a service; only where those read who work in the
    /// app.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_status: Option<ChannelStatus>,
    is_public_channel: bool,
    message: &'a str,
    #[schema(value_type = Option<Object>)]
    payload: Option<&'a RawValue>,
    raw_room_name: &'a str,
    room_avatar: &'a str,
    room_id: i64,
    room_id_str: String,
    room_name: &'a str,
    room_options: &'a str,
    /// `single` or `group`.
    room_type: &'static str,
    /// The same as `room_type`.
    chat_type: &'static str,
    /// `sent`, `delivered` or `read`.
    status: &'static str,
    timestamp: String,
    /// The same as `room_id`.
    topic_id: i64,
    topic_id_str: String,
    r#type: &'static str,
    unique_temp_id: String,
    /// The same as `unique_temp_id`.
    unique_id: String,
    unix_nano_timestamp: i64,
    unix_timestamp: i64,
    user_avatar: Avatar<'a>,
    user_avatar_url: &'a str,
    #[schema(value_type = serde_json::Value)]
    user_extras: ShownExtras<'a>,
    /// The sender's integer.
    user_id: i64,
    user_id_str: String,
    username: &'a str,
}

/// How far a message is on its way to the customer of a service.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelStatus {
    /// `queued`, `sent`, `delivered`, `read` or `failed`.
    state: &'static str,
    /// What the service calls the failure.
    code: Option<String>,
    /// The failure in plain words.
    reason: Option<String>,
    at: String,
}

impl ChannelStatus {
    /// That of a message, by all its parts; nothing if it is on no way.
    pub fn of(parts: &[PartState]) -> Option<Self> {
        whole_state(parts).map(|part| Self {
            state: part.state.as_str(),
            code: part.code.clone(),
            reason: part.reason.clone(),
            at: to_the_microsecond(part.at),
        })
    }
}

/// The sender's picture: an object in answers, a plain text in realtime.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Avatar<'a> {
    /// `{"avatar":{"url":"..."}}`
    Nested(NestedAvatar<'a>),
    /// The address.
    Plain(&'a str),
}

/// `{"avatar":{"url":"..."}}`
#[derive(Debug, Serialize, ToSchema)]
pub struct NestedAvatar<'a> {
    avatar: AvatarUrl<'a>,
}

/// `{"url":"..."}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AvatarUrl<'a> {
    url: &'a str,
}

impl<'a> NestedAvatar<'a> {
    /// Of this address.
    pub fn new(url: &'a str) -> Self {
        Self { avatar: AvatarUrl { url } }
    }
}

impl<'a> ClientComment<'a> {
    /// As calls answer it. A single room is named after whoever speaks.
    pub fn answered(said: &'a PostedMessage, room: &'a Room, status: Status) -> Self {
        let avatar = Avatar::Nested(NestedAvatar::new(&said.sender.avatar_url));
        Self::new(said, room, status, avatar)
    }

    /// As those read it who work in the app: of what was deleted, its place is left.
    pub fn in_conversation(
        said: &'a PostedMessage,
        room: &'a Room,
        status: Status,
        is_edited: bool,
    ) -> Self {
        let answered = Self::answered(said, room, status);
        let payload = answered.payload.filter(|_| !said.message.is_deleted);
        Self { payload, is_edited: Some(is_edited && !said.message.is_deleted), ..answered }
    }

    /// The same with how far it is on its way to the customer.
    pub fn with_channel_status(self, parts: &[PartState]) -> Self {
        Self { channel_status: ChannelStatus::of(parts), ..self }
    }

    /// As realtime shows it.
    pub fn shown(said: &'a PostedMessage, room: &'a Room) -> Self {
        Self::new(said, room, Status::Sent, Avatar::Plain(&said.sender.avatar_url))
    }

    fn new(
        said: &'a PostedMessage,
        room: &'a Room,
        status: Status,
        user_avatar: Avatar<'a>,
    ) -> Self {
        let PostedMessage { message, sender } = said;
        let before = message.before.map_or(0, |before| before.0);
        let kind = chat_type(room.kind);
        let is_single = room.kind == RoomKind::Single;
        let room_name = if is_single { &sender.username } else { &room.name };
        Self {
            comment_before_id: before,
            comment_before_id_str: before.to_string(),
            created_at: to_the_microsecond(message.posted_at),
            disable_link_preview: false,
            email: sender.user_id.as_str(),
            extras: message.extras.as_ref().map_or(empty(), raw),
            id: message.id.0,
            id_str: message.id.to_string(),
            is_deleted: message.is_deleted,
            is_edited: None,
            channel_status: None,
            is_public_channel: room.kind == RoomKind::Public,
            message: &message.text,
            payload: Some(message.payload.as_ref().map_or(empty(), raw)),
            raw_room_name: &room.name,
            room_avatar: &room.avatar_url,
            room_id: room.id.0,
            room_id_str: room.id.to_string(),
            room_name,
            room_options: options_of(&room.options),
            room_type: kind,
            chat_type: kind,
            status: status.as_str(),
            timestamp: to_the_second(message.posted_at),
            topic_id: room.id.0,
            topic_id_str: room.id.to_string(),
            r#type: message.kind.as_str(),
            unique_temp_id: Message::unique_id(message).to_string(),
            unique_id: Message::unique_id(message).to_string(),
            unix_nano_timestamp: message.posted_at.0.saturating_mul(1000),
            unix_timestamp: message.posted_at.unix_seconds(),
            user_avatar,
            user_avatar_url: &sender.avatar_url,
            user_extras: shown_extras(sender),
            user_id: sender.key.0,
            user_id_str: sender.key.to_string(),
            username: &sender.username,
        }
    }
}

/// `single` or `group`: a public channel is a group (wire facts 4.2).
pub fn chat_type(kind: RoomKind) -> &'static str {
    match kind {
        RoomKind::Single => "single",
        RoomKind::Group | RoomKind::Public => "group",
    }
}
