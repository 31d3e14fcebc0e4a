//! Ids for example events.

use crate::app::{App, AppCode};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, AppId, ChannelId, MessageId, RoomId, SessionId, UserKey};
use crate::time::Timestamp;

/// The ids and names in an example event.
#[derive(Debug, Clone)]
pub struct ExampleIds {
    /// Public name of the app.
    pub app_code: AppCode,
    pub app: AppId,
    /// The channel that the customer writes through.
    pub channel: ChannelId,
    /// The customer's room.
    pub room: RoomId,
    pub customer: UserKey,
    pub agent: AgentId,
    /// The session of the customer.
    pub session: SessionId,
    /// The first message of that session.
    pub first_message: MessageId,
    /// The message that the event is about.
    pub message: MessageId,
    /// Time of the event.
    pub now: Timestamp,
}

impl ExampleIds {
    /// Creates the ids of an example event. Its users do not exist, nor does its room unless one is
    /// given: their ids equal the app's own id, which no user or room has, so that all examples of
    /// an app stay in order and affect no real lane. The ids of its messages are new.
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
