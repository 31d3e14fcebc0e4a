//! A message in the format of the client API (wire facts 4.3), which has more fields than in the
//! message API.

use confab_domain::channels::channel_message::{PartState, whole_state};
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::rooms::room::{Room, RoomKind};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::raw_json::{empty, options_of, raw};
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::{to_the_microsecond, to_the_second};

/// The delivery state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SdkStatus {
    /// The message is stored.
    Sent,
    /// All other participants received the message.
    Delivered,
    /// All other participants read the message.
    Read,
}

impl SdkStatus {
    fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
        }
    }
}

/// A comment in the format of the client API. Integer ids are also present as strings.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientComment<'a> {
    comment_before_id: i64,
    comment_before_id_str: String,
    created_at: String,
    disable_link_preview: bool,
    /// User id of the sender.
    email: &'a str,
    #[schema(value_type = serde_json::Value)]
    extras: &'a RawValue,
    id: i64,
    id_str: String,
    is_deleted: bool,
    /// Whether the text was edited. Only present in responses to agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_edited: Option<bool>,
    /// State of the delivery to the customer's messaging provider. Only present in responses to
    /// agents.
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
    /// Kind of the room: `single` or `group`.
    room_type: &'static str,
    /// Same value as `room_type`.
    chat_type: &'static str,
    /// Delivery state: `sent`, `delivered` or `read`.
    status: &'static str,
    timestamp: String,
    /// Same value as `room_id`.
    topic_id: i64,
    topic_id_str: String,
    r#type: &'static str,
    unique_temp_id: String,
    /// Same value as `unique_temp_id`.
    unique_id: String,
    unix_nano_timestamp: i64,
    unix_timestamp: i64,
    user_avatar: Avatar<'a>,
    user_avatar_url: &'a str,
    #[schema(value_type = serde_json::Value)]
    user_extras: ShownExtras<'a>,
    /// Integer id of the sender.
    user_id: i64,
    user_id_str: String,
    username: &'a str,
}

/// The state of a message's delivery to the customer's messaging provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelStatus {
    /// `queued`, `sent`, `delivered`, `read` or `failed`.
    state: &'static str,
    /// Error code of the provider if the delivery failed.
    code: Option<String>,
    /// Description of the failure if the delivery failed.
    reason: Option<String>,
    at: String,
}

impl ChannelStatus {
    /// Returns the state of a message from the states of its parts; `None` if it is not sent to a
    /// provider.
    pub fn of(parts: &[PartState]) -> Option<Self> {
        whole_state(parts).map(|part| Self {
            state: part.state.as_str(),
            code: part.code.clone(),
            reason: part.reason.clone(),
            at: to_the_microsecond(part.at),
        })
    }
}

/// The sender's picture: an object in responses, a string in realtime events.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Avatar<'a> {
    /// The picture in a response: `{"avatar":{"url":"..."}}`.
    Nested(NestedAvatar<'a>),
    /// The picture's URL in a realtime event.
    Plain(&'a str),
}

/// A picture as an object: `{"avatar":{"url":"..."}}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct NestedAvatar<'a> {
    avatar: AvatarUrl<'a>,
}

/// The URL of a picture: `{"url":"..."}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvatarUrl<'a> {
    url: &'a str,
}

impl<'a> NestedAvatar<'a> {
    /// Creates the object for a picture URL.
    pub fn new(url: &'a str) -> Self {
        Self { avatar: AvatarUrl { url } }
    }
}

impl<'a> ClientComment<'a> {
    /// Creates the comment for a response. The name of a single room is that of the sender.
    pub fn answered(posted: &'a PostedMessage, room: &'a Room, status: SdkStatus) -> Self {
        let avatar = Avatar::Nested(NestedAvatar::new(&posted.sender.avatar_url));
        Self::new(posted, room, status, avatar)
    }

    /// Creates the comment for a response to an agent. A deleted message has no payload.
    pub fn in_conversation(
        posted: &'a PostedMessage,
        room: &'a Room,
        status: SdkStatus,
        is_edited: bool,
    ) -> Self {
        let answered = Self::answered(posted, room, status);
        let payload = answered.payload.filter(|_| !posted.message.is_deleted);
        Self { payload, is_edited: Some(is_edited && !posted.message.is_deleted), ..answered }
    }

    /// Adds the state of the message's delivery to the customer's messaging provider.
    pub fn with_channel_status(self, parts: &[PartState]) -> Self {
        Self { channel_status: ChannelStatus::of(parts), ..self }
    }

    /// Creates the comment for a realtime event.
    pub fn shown(posted: &'a PostedMessage, room: &'a Room) -> Self {
        Self::new(posted, room, SdkStatus::Sent, Avatar::Plain(&posted.sender.avatar_url))
    }

    fn new(
        posted: &'a PostedMessage,
        room: &'a Room,
        status: SdkStatus,
        user_avatar: Avatar<'a>,
    ) -> Self {
        let PostedMessage { message, sender } = posted;
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

/// Returns `single` or `group`; a public room is shown as a group (wire facts 4.2).
pub fn chat_type(kind: RoomKind) -> &'static str {
    match kind {
        RoomKind::Single => "single",
        RoomKind::Group | RoomKind::Public => "group",
    }
}
