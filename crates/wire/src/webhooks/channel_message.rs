//! The channel message webhook, which notifies the gateway of a custom channel of messages to its
//! customer (wire facts 6.7).

use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomKind;
use confab_domain::webhooks::event::{ChannelMessage, EventRoom, MessageSource};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::bot::type_of;
use super::message::{MessageShape, SenderShape};
use super::room;
use crate::raw_json::{empty, options_of, raw};

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChannelMessageBody)]
pub(super) struct ChannelMessageBody<'a> {
    app_code: &'a str,
    payload: ChannelMessagePayload<'a>,
    r#type: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChannelMessagePayload)]
struct ChannelMessagePayload<'a> {
    from: SenderShape<'a>,
    message: MessageShape<'a>,
    room: ChannelMessageRoomShape<'a>,
}

impl<'a> From<&'a ChannelMessage> for ChannelMessageBody<'a> {
    fn from(event: &'a ChannelMessage) -> Self {
        let people =
            event.people.iter().map(|user| ChannelParticipantShape::from(&**user)).collect();
        let payload = ChannelMessagePayload {
            from: (&*event.sender).into(),
            message: (&event.message).into(),
            room: ChannelMessageRoomShape::new(&event.room, people),
        };
        let message_source: MessageSource = event.message_source;
        Self { app_code: event.app.as_str(), payload, r#type: type_of(message_source) }
    }
}

/// A room. Unlike in the other webhooks of spec 2.5, its ids are numbers.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChannelMessageRoom)]
struct ChannelMessageRoomShape<'a> {
    id: i64,
    id_str: String,
    is_public_channel: bool,
    name: &'a str,
    options: &'a str,
    participants: Vec<ChannelParticipantShape<'a>>,
    room_avatar: &'a str,
    topic_id: i64,
    topic_id_str: String,
    r#type: &'a str,
}

impl<'a> ChannelMessageRoomShape<'a> {
    fn new(room: &'a EventRoom, participants: Vec<ChannelParticipantShape<'a>>) -> Self {
        Self {
            id: room.id.0,
            id_str: room.id.to_string(),
            is_public_channel: room.kind == RoomKind::Public,
            name: &room.name,
            options: options_of(room.options.as_str()),
            participants,
            room_avatar: &room.avatar_url,
            topic_id: room.id.0,
            topic_id_str: room.id.to_string(),
            r#type: room::type_of(room.kind),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChannelParticipant)]
struct ChannelParticipantShape<'a> {
    active: bool,
    avatar_url: &'a str,
    email: &'a str,
    #[schema(value_type = Object)]
    extras: &'a RawValue,
    id: i64,
    id_str: String,
    // Gateways do not receive read positions: 0 stands for an unknown one.
    last_comment_read_id: i64,
    last_comment_read_id_str: &'static str,
    last_comment_received_id: i64,
    last_comment_received_id_str: &'static str,
    username: &'a str,
}

impl<'a> From<&'a User> for ChannelParticipantShape<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            active: user.is_active,
            avatar_url: &user.avatar_url,
            email: user.user_id.as_str(),
            extras: user.extras.as_ref().map_or(empty(), raw),
            id: user.key.0,
            id_str: user.key.to_string(),
            last_comment_read_id: 0,
            last_comment_read_id_str: "0",
            last_comment_received_id: 0,
            last_comment_received_id_str: "0",
            username: &user.username,
        }
    }
}
