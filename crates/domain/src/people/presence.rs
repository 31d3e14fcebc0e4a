//! Presence: which users are online, as one node sees them (design/realtime).
//!
//! A node stores the presence of its own clients only. These rules take the node's number from a
//! new id, which contains it.

use crate::decision::change::{Change, UserChange};
use crate::decision::question::Question;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::ids::{EventId, UserKey};
use crate::people::user::UserId;
use crate::time::Timestamp;

/// Returns the question of the rules for presence, which need no facts.
pub fn question() -> Question {
    Question::default()
}

/// Stores presence changes, ordered by user key so that commits of several nodes cannot deadlock.
pub fn note(seen: &[(UserKey, bool, Timestamp)], stamp: &Stamp<'_>) -> Decision<()> {
    let node = this_node(stamp);
    let mut seen = seen.to_vec();
    seen.sort_unstable_by_key(|(user, ..)| *user);
    let change = |(user, is_online, at): (UserKey, _, _)| {
        Change::User(UserChange::SetPresence { user, is_online, at, node })
    };
    Decision::new(seen.into_iter().map(change).collect(), ())
}

/// Marks all users offline that are stored as connected to this node, which has no clients when it
/// starts.
pub fn begin(stamp: &Stamp<'_>) -> Decision<()> {
    Decision::new(vec![Change::User(UserChange::EndPresences { node: this_node(stamp) })], ())
}

fn this_node(stamp: &Stamp<'_>) -> i64 {
    EventId(stamp.next_id()).node()
}

/// Whether a user is online, and since when or until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    pub user: UserId,
    pub is_online: bool,
    /// Start of the connection, or time when the user was last seen.
    pub at: Timestamp,
}
