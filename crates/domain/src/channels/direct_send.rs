//! What the app sends through a channel by itself, beside all rooms: one-time codes, order notices
//! (D-0155).

use crate::channels::channel_message::MessageState;
use crate::ids::ChannelId;
use crate::time::Timestamp;

/// How far something is that was sent so. Of what it says, and of whom it was for, nothing is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectSend {
    pub channel: ChannelId,
    /// What the service calls it.
    pub external_id: String,
    pub state: MessageState,
    /// What the service calls the failure.
    pub code: Option<String>,
    /// The failure in plain words.
    pub reason: Option<String>,
    pub at: Timestamp,
}
