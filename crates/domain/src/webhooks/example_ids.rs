//! What an example notice is made of.

use crate::app::{App, AppCode};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, AppId, ChannelId, MessageId, RoomId, SessionId, UserKey};
use crate::time::Timestamp;

/// Who and what an example is about.
#[derive(Debug, Clone)]
pub struct ExampleIds {
    /// The app's public name.
    pub app_code: AppCode,
    /// The app's integer.
    pub app: AppId,
    /// The channel that the customer writes through.
    pub channel: ChannelId,
    /// The customer's room.
    pub room: RoomId,
    pub customer: UserKey,
    pub agent: AgentId,
    /// The session that the customer is or was served in.
    pub session: SessionId,
    /// The first message of that session.
    pub first_message: MessageId,
    /// The message that the notice is about.
    pub message: MessageId,
    /// When it happens.
    pub now: Timestamp,
}

impl ExampleIds {
    /// The people of an example do not exist, and mostly its room does not. They have the app's own
    /// integer, which is no room's and no user's, so all examples of an app stay in one order and
    /// disturb nobody. Its messages are new.
    pub(crate) fn new(app: &App, room: Option<RoomId>, stamp: &Stamp<'_>) -> Self {
        Self {
            app_code: app.code.clone(),
            app: app.id,
            channel: ChannelId(app.id.0),
            room: room.unwrap_or(RoomId(app.id.0)),
            customer: UserKey(app.id.0),
            agent: AgentId(app.id.0),
            session: SessionId(stamp.next_id()),
            first_message: MessageId(stamp.next_id()),
            message: MessageId(stamp.next_id()),
            now: stamp.now,
        }
    }
}
