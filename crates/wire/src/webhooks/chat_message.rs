//! What an app hears that is told of every message of every room (wire facts 3.8, D-0105).
//!
//! Those who read it know few of these keys; the others are as in the bot webhook.

use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomKind;
use confab_domain::webhooks::event::ChatMessage;
use serde::Serialize;
use utoipa::ToSchema;

use super::bot::type_of;
use super::message::{MessageShape, SenderShape};
use super::room;

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChatMessageBody)]
pub(super) struct ChatMessageBody<'a> {
    app_code: &'a str,
    payload: ChatMessagePayload<'a>,
    r#type: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChatMessagePayload)]
struct ChatMessagePayload<'a> {
    from: SenderShape<'a>,
    message: MessageShape<'a>,
    room: ChatRoomShape<'a>,
    r#type: &'static str,
}

impl<'a> From<&'a ChatMessage> for ChatMessageBody<'a> {
    fn from(told: &'a ChatMessage) -> Self {
        let r#type = type_of(told.message_source);
        let payload = ChatMessagePayload {
            from: (&*told.sender).into(),
            message: (&told.message).into(),
            room: told.into(),
            r#type,
        };
        Self { app_code: told.app.as_str(), payload, r#type }
    }
}

/// A room. Its ids are numbers here; a public channel names no participants.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChatRoom)]
struct ChatRoomShape<'a> {
    id: i64,
    id_str: String,
    is_public_channel: bool,
    name: &'a str,
    options: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    participants: Option<Vec<ChatParticipantShape<'a>>>,
    room_avatar: &'a str,
    topic_id: i64,
    topic_id_str: String,
    r#type: &'a str,
}

impl<'a> From<&'a ChatMessage> for ChatRoomShape<'a> {
    fn from(told: &'a ChatMessage) -> Self {
        let room = &told.room;
        let is_public_channel = room.kind == RoomKind::Public;
        let people = || told.people.iter().map(|user| (&**user).into()).collect();
        Self {
            id: room.id.0,
            id_str: room.id.to_string(),
            is_public_channel,
            name: &room.name,
            options: room.options.as_str(),
            participants: (!is_public_channel).then(people),
            room_avatar: &room.avatar_url,
            topic_id: room.id.0,
            topic_id_str: room.id.to_string(),
            r#type: room::type_of(room.kind),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChatParticipant)]
struct ChatParticipantShape<'a> {
    avatar_url: &'a str,
    email: &'a str,
    id: i64,
    id_str: String,
    username: &'a str,
}

impl<'a> From<&'a User> for ChatParticipantShape<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            avatar_url: &user.avatar_url,
            email: user.user_id.as_str(),
            id: user.key.0,
            id_str: user.key.to_string(),
            username: &user.username,
        }
    }
}
