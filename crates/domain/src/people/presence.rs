//! Presence: which users are online, as one node sees them (design/realtime).
//!
//! A node stores the presence of its own clients only. New ids contain the number of the node that
//! creates them, which is how these rules learn it.

use crate::decision::change::{Change, UserChange};
use crate::decision::question::Question;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::ids::{EventId, UserKey};
use crate::people::user::UserId;
use crate::time::Timestamp;

/// Returns the facts that these rules need: none.
pub fn question() -> Question {
    Question::default()
}

/// Stores presence changes. The order of user keys keeps nodes from deadlocking.
pub fn note(seen: &[(UserKey, bool, Timestamp)], stamp: &Stamp<'_>) -> Decision<()> {
    let node = this_node(stamp);
    let mut seen = seen.to_vec();
    seen.sort_unstable_by_key(|(user, ..)| *user);
    let change = |(user, is_online, at): (UserKey, _, _)| {
        Change::User(UserChange::SetPresence { user, is_online, at, node })
    };
    Decision::new(seen.into_iter().map(change).collect(), ())
}

/// Marks all users offline that were connected to this node. A node that starts has no clients.
pub fn begin(stamp: &Stamp<'_>) -> Decision<()> {
    Decision::new(vec![Change::User(UserChange::EndPresences { node: this_node(stamp) })], ())
}

fn this_node(stamp: &Stamp<'_>) -> i64 {
    EventId(stamp.next_id()).node()
}

/// Whether a user is online, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    pub user: UserId,
    pub is_online: bool,
    /// Start of the connection, or time when the user was last seen.
    pub at: Timestamp,
}
