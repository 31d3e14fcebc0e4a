//! Direct sends: messages that the app sends through a channel outside of rooms, such as one-time
//! codes and order notices (D-0155).

use crate::channels::channel_message::MessageState;
use crate::ids::ChannelId;
use crate::time::Timestamp;

/// The delivery state of a direct send. Its content and recipient are not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectSend {
    pub channel: ChannelId,
    /// Id of the message at the provider.
    pub external_id: String,
    pub state: MessageState,
    /// The provider's error code, if the send failed.
    pub code: Option<String>,
    /// Description of the failure.
    pub reason: Option<String>,
    pub at: Timestamp,
}
