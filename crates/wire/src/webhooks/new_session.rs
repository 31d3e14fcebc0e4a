//! The new session webhook (spec 2.5, wire facts 6.5).

use confab_domain::webhooks::event::NewSession;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::channel::ChannelShape;
use super::message::{OpeningMessageShape, SenderShape};
use super::room::WebhookRoomShape;
use crate::raw_json::raw;
use crate::time::to_the_second;

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookNewSessionBody)]
pub(super) struct NewSessionBody<'a> {
    channel: ChannelShape<'a>,
    is_new_session: bool,
    payload: NewSessionPayload<'a>,
    room_log: RoomLogShape<'a>,
    webhook_type: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookNewSessionPayload)]
struct NewSessionPayload<'a> {
    from: SenderShape<'a>,
    message: OpeningMessageShape<'a>,
    room: WebhookRoomShape<'a>,
}

impl<'a> From<&'a NewSession> for NewSessionBody<'a> {
    fn from(session: &'a NewSession) -> Self {
        let payload = NewSessionPayload {
            from: (&*session.customer).into(),
            message: (&session.message).into(),
            room: (&session.room).into(),
        };
        Self {
            channel: (&session.channel).into(),
            is_new_session: true,
            payload,
            room_log: session.into(),
            webhook_type: "NEW_SESSION_WEBHOOK",
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookRoomLog)]
struct RoomLogShape<'a> {
    channel_id: i64,
    created_at: String,
    // A JSON value; in the allocation webhook it is a string that contains JSON.
    #[schema(value_type = Option<Object>)]
    extras: Option<&'a RawValue>,
    has_no_message: bool,
    is_waiting: bool,
    name: &'a str,
    resolved: bool,
    room_badge: Option<&'a str>,
    room_id: String,
    source: &'a str,
    user_avatar_url: &'a str,
    user_id: &'a str,
}

impl<'a> From<&'a NewSession> for RoomLogShape<'a> {
    fn from(session: &'a NewSession) -> Self {
        let customer = &*session.customer;
        Self {
            channel_id: session.channel.id.0,
            created_at: to_the_second(session.room_opened_at),
            extras: session.extras.as_ref().map(raw),
            // A message opened the session (spec 6), so there is one, and the session is not
            // resolved.
            has_no_message: false,
            is_waiting: session.is_waiting,
            name: &customer.username,
            resolved: false,
            room_badge: session.badge_url.as_deref(),
            room_id: session.room.id.to_string(),
            source: &session.channel.source,
            user_avatar_url: &customer.avatar_url,
            user_id: customer.user_id.as_str(),
        }
    }
}
