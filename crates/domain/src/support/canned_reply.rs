//! Canned replies: texts that those who answer customers have at hand, under a shortcut (D-0101).

use crate::ids::{AgentId, CannedReplyId};
use crate::time::Timestamp;

/// A text that is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReply {
    pub id: CannedReplyId,
    /// Whose it is; everybody's of the app if nobody's.
    pub owner: Option<AgentId>,
    /// What is typed for it; one among those that somebody sees.
    pub shortcut: String,
    pub text: String,
    /// The language of the text, or an empty text.
    pub language: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl CannedReply {
    /// Whether it is everybody's.
    pub fn is_shared(&self) -> bool {
        self.owner.is_none()
    }
}

/// What a rule must know of one: the texts of all would be much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReplyKey {
    pub id: CannedReplyId,
    pub owner: Option<AgentId>,
    pub shortcut: String,
    pub created_at: Timestamp,
}
