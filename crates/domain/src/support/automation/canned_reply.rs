//! Canned replies: texts that agents insert by a shortcut (design/support).

use crate::ids::{AgentId, CannedReplyId};
use crate::time::Timestamp;

/// A text that agents insert by a shortcut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReply {
    pub id: CannedReplyId,
    /// Agent who owns the reply; `None` if all agents of the app share it.
    pub owner: Option<AgentId>,
    /// Shortcut to type, unique among the replies that an agent sees.
    pub shortcut: String,
    pub text: String,
    /// Language of the text, or empty.
    pub language: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl CannedReply {
    /// Whether all agents of the app share it.
    pub fn is_shared(&self) -> bool {
        self.owner.is_none()
    }
}

/// A canned reply without its text. Rules load all replies that an agent sees, and their texts
/// would be large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReplyKey {
    pub id: CannedReplyId,
    pub owner: Option<AgentId>,
    pub shortcut: String,
    pub created_at: Timestamp,
}
