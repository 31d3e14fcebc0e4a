//! How many conversations each list of the inbox has.

use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// How many conversations there are, as far as somebody may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCounts {
    /// That they serve.
    pub mine: usize,
    /// Whose customers wait, and no bot answers.
    pub unassigned: usize,
    /// Whose customers wait, and a bot answers.
    pub bot: usize,
    pub open: usize,
    pub resolved: usize,
    /// Since when the first waits of those whom no bot answers.
    pub longest_wait_since: Option<Timestamp>,
}

/// How many conversations each list has; 100,000 stands for any greater number.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InboxCounts)]
pub struct InboxCountsShape {
    /// Whose customers wait, and a bot answers.
    bot: usize,
    /// Since when the first waits of those whom no bot answers.
    longest_wait_since: Option<String>,
    /// Those that whoever asks serves.
    mine: usize,
    open: usize,
    /// An agent sees those that they served.
    resolved: usize,
    /// Whose customers wait, and no bot answers.
    unassigned: usize,
}

impl From<&InboxCounts> for InboxCountsShape {
    fn from(counts: &InboxCounts) -> Self {
        let InboxCounts { mine, unassigned, bot, open, resolved, longest_wait_since } = *counts;
        let longest_wait_since = longest_wait_since.map(to_the_second);
        Self { bot, longest_wait_since, mine, open, resolved, unassigned }
    }
}
