//! A customer's room as the channel calls show it (wire facts 5.3, 5.5).

use confab_domain::json_text::JsonText;
use confab_domain::people::user::User;
use confab_domain::support::customer_room::CustomerRoom;
use confab_domain::webhooks::event::ChannelSummary;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// A customer's room.
#[derive(Serialize, ToSchema)]
pub struct RoomLog<'a> {
    /// Where the customer writes from.
    channel_id: i64,
    /// What the channel keeps, as JSON inside a string.
    extras: &'a str,
    /// True until something was said.
    has_no_message: bool,
    /// True while nobody serves the customer.
    is_waiting: bool,
    /// The customer's name.
    name: &'a str,
    /// True once the session is resolved.
    resolved: bool,
    /// When it was.
    resolved_ts: Option<String>,
    /// A picture that marks the room.
    room_badge: Option<&'a str>,
    /// The room.
    room_id: String,
    /// The kind of channel.
    source: &'a str,
    /// The message that opened the session.
    start_service_comment_id: Option<String>,
    /// The customer's picture.
    user_avatar_url: &'a str,
    /// The customer.
    user_id: &'a str,
}

impl<'a> RoomLog<'a> {
    /// The room of a customer.
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
