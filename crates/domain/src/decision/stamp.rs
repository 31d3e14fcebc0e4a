//! Times and new ids, which a rule does not make itself.

use crate::decision::facts::Facts;
use crate::time::Timestamp;

/// Makes times and ids. The server's clock does in earnest; tests bring their own.
pub trait Stamps: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
    /// A new id, greater than `after` and than every id made before.
    fn next_id(&self, after: i64) -> i64;
    /// From now on ids carry this node's number, so that no two nodes make the same one.
    fn serve_as(&self, node: i64);
}

/// The time of a decision, and new ids for it.
pub struct Stamp<'a> {
    /// When the decision is made.
    pub now: Timestamp,
    stamps: &'a dyn Stamps,
    newest: i64,
}

impl<'a> Stamp<'a> {
    /// A stamp for a decision upon these facts.
    pub fn new(stamps: &'a dyn Stamps, facts: &Facts) -> Self {
        Self { now: stamps.now(), stamps, newest: facts.newest_message() }
    }

    /// A new id, greater than that of every message of the rooms decided upon.
    pub fn next_id(&self) -> i64 {
        self.stamps.next_id(self.newest)
    }
}
