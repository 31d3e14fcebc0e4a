//! Progress of the search index (D-0145).

use crate::ids::{MessageId, UserKey};
use crate::time::Timestamp;

/// Progress of the search index, and the process that writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    /// Every message up to and including this one is indexed.
    pub up_to: MessageId,
    /// Newest message that was indexed. Messages before it may be missing if another node stored
    /// them at the same time.
    pub reached: MessageId,
    /// Every customer up to and including this one is indexed.
    pub contacts_up_to: UserKey,
    /// Process that writes the index.
    pub holder: String,
    /// Time until which no other process may write the index.
    pub held_until: Timestamp,
    /// Number that grows when the index is rebuilt.
    pub generation: i64,
}
