//! The number of conversations in each list of the inbox.

use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// The number of conversations that the caller may see, per list of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCounts {
    /// Conversations to which the caller is assigned.
    pub mine: usize,
    /// Conversations whose customer is waiting and not handled by a bot.
    pub unassigned: usize,
    /// Conversations whose customer is waiting and handled by a bot.
    pub bot: usize,
    pub open: usize,
    pub resolved: usize,
    /// Time since when the first customer has been waiting, without those handled by a bot.
    pub longest_wait_since: Option<Timestamp>,
}

/// Number of conversations in each list of the inbox. Counts stop at 100,000.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InboxCounts)]
pub struct InboxCountsShape {
    /// Number of conversations whose customer is waiting and handled by a bot.
    bot: usize,
    /// Time since when the first customer has been waiting, without those handled by a bot.
    longest_wait_since: Option<String>,
    /// Number of conversations to which the caller is assigned.
    mine: usize,
    open: usize,
    /// Number of resolved conversations; an agent may see only those they served.
    resolved: usize,
    /// Number of conversations whose customer is waiting and not handled by a bot.
    unassigned: usize,
}

impl From<&InboxCounts> for InboxCountsShape {
    fn from(counts: &InboxCounts) -> Self {
        let InboxCounts { mine, unassigned, bot, open, resolved, longest_wait_since } = *counts;
        let longest_wait_since = longest_wait_since.map(to_the_second);
        Self { bot, longest_wait_since, mine, open, resolved, unassigned }
    }
}
