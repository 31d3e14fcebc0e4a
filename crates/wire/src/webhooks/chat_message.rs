//! The chat message webhook, sent for every message of every room if the app requests it (wire
//! facts 3.8).
//!
//! Known receivers read only a few of its keys; the others are as in the bot webhook.

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
    fn from(event: &'a ChatMessage) -> Self {
        let r#type = type_of(event.message_source);
        let payload = ChatMessagePayload {
            from: (&*event.sender).into(),
            message: (&event.message).into(),
            room: event.into(),
            r#type,
        };
        Self { app_code: event.app.as_str(), payload, r#type }
    }
}

/// A room. Its ids are numbers; a public channel has no participants.
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
    fn from(event: &'a ChatMessage) -> Self {
        let room = &event.room;
        let is_public_channel = room.kind == RoomKind::Public;
        let people = || event.people.iter().map(|user| (&**user).into()).collect();
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
