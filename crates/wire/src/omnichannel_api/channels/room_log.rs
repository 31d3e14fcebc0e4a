//! A customer room, as shown in responses of calls about channels (wire facts 5.3, 5.5).

use confab_domain::json_text::JsonText;
use confab_domain::people::user::User;
use confab_domain::support::conversations::customer_room::CustomerRoom;
use confab_domain::webhooks::event::ChannelSummary;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// A customer room.
#[derive(Serialize, ToSchema)]
pub struct RoomLog<'a> {
    /// Id of the channel through which the customer writes.
    channel_id: i64,
    /// Metadata of the room, as JSON in a string.
    extras: &'a str,
    /// Whether the room has no messages yet.
    has_no_message: bool,
    /// Whether the customer is waiting for an agent.
    is_waiting: bool,
    /// Display name of the customer.
    name: &'a str,
    /// Whether the room's latest session is resolved.
    resolved: bool,
    /// Time at which the latest session was resolved; null if it is not.
    resolved_ts: Option<String>,
    /// URL of the channel's picture, which clients show as the room's badge.
    room_badge: Option<&'a str>,
    /// Room id.
    room_id: String,
    /// Kind of the channel.
    source: &'a str,
    /// Id of the first message of the latest session.
    start_service_comment_id: Option<String>,
    /// Picture URL of the customer.
    user_avatar_url: &'a str,
    /// User id of the customer.
    user_id: &'a str,
}

impl<'a> RoomLog<'a> {
    /// Creates the response data for a customer room.
    pub fn new(room: &'a CustomerRoom, channel: &'a ChannelSummary, customer: &'a User) -> Self {
        let session = room.session.as_ref();
        Self {
            channel_id: room.channel.0,
            extras: room.extras.as_ref().map_or("{}", JsonText::as_str),
            has_no_message: session.is_none(),
            is_waiting: room.waits_since.is_some(),
            name: &customer.username,
            resolved: room.is_resolved(),
            resolved_ts: session.and_then(|it| it.resolved_at).map(to_the_second),
            room_badge: room.badge_url.as_deref(),
            room_id: room.room.to_string(),
            source: &channel.source,
            start_service_comment_id: session.map(|it| it.first_message.to_string()),
            user_avatar_url: &customer.avatar_url,
            user_id: customer.user_id.as_str(),
        }
    }
}
