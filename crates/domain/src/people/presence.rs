//! Who is there: what a node notes of those who come and go (D-0043).
//!
//! A node speaks for itself only. Ids carry the number of the node that makes them, so a rule knows
//! by a new one which node it runs on.

use crate::decision::change::{Change, UserChange};
use crate::decision::question::Question;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::ids::{EventId, UserKey};
use crate::people::user::UserId;
use crate::time::Timestamp;

/// What the rules here want to know: nothing.
pub fn question() -> Question {
    Question::default()
}

/// These users came or went; in the order of their keys, so that no two nodes wait for each other.
pub fn note(seen: &[(UserKey, bool, Timestamp)], stamp: &Stamp<'_>) -> Decision<()> {
    let node = this_node(stamp);
    let mut seen = seen.to_vec();
    seen.sort_unstable_by_key(|(user, ..)| *user);
    let change = |(user, is_online, at): (UserKey, _, _)| {
        Change::User(UserChange::SetPresence { user, is_online, at, node })
    };
    Decision::new(seen.into_iter().map(change).collect(), ())
}

/// A node that starts has nobody connected, whatever it said before.
pub fn begin(stamp: &Stamp<'_>) -> Decision<()> {
    Decision::new(vec![Change::User(UserChange::EndPresences { node: this_node(stamp) })], ())
}

fn this_node(stamp: &Stamp<'_>) -> i64 {
    EventId(stamp.next_id()).node()
}

/// Whether somebody is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    pub user: UserId,
    /// Whether they are.
    pub is_online: bool,
    /// Since when, or when they were last seen.
    pub at: Timestamp,
}
