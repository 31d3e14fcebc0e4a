//! How far the index of search is (D-0145).

use crate::ids::{MessageId, UserKey};
use crate::time::Timestamp;

/// How far the index is, and who writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    /// Every message up to this one is in it.
    pub up_to: MessageId,
    /// Every message up to this one, but for some that other nodes wrote at the same time.
    pub reached: MessageId,
    /// Every customer up to this one.
    pub contacts_up_to: UserKey,
    /// Which process writes it.
    pub holder: String,
    /// Until when no other one does.
    pub held_until: Timestamp,
    /// Rises when the index begins anew.
    pub generation: i64,
}
