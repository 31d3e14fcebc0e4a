//! Time and new ids for rules, which use no clock themselves.

use crate::decision::facts::Facts;
use crate::time::Timestamp;

/// Source of times and ids: the server's clock, or a fixed one in tests.
pub trait Stamps: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
    /// Returns a new id, greater than `after` and than every id created before.
    fn next_id(&self, after: i64) -> i64;
    /// Sets the node number of all later ids, so that no two nodes create the same id.
    fn serve_as(&self, node: i64);
}

/// Time of a decision, and source of the new ids that it needs.
pub struct Stamp<'a> {
    pub now: Timestamp,
    stamps: &'a dyn Stamps,
    newest: i64,
}

impl<'a> Stamp<'a> {
    /// Creates a stamp with the current time. Its ids are greater than the message ids in the rooms
    /// of these facts.
    pub fn new(stamps: &'a dyn Stamps, facts: &Facts) -> Self {
        Self { now: stamps.now(), stamps, newest: facts.newest_message() }
    }

    /// Returns a new id, greater than the ids of all messages in the decision's rooms.
    pub fn next_id(&self) -> i64 {
        self.stamps.next_id(self.newest)
    }
}
