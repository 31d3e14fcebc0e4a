//! The number of conversations in each list of the inbox.

use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// The number of conversations that the caller may see, per list of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCounts {
    /// Number of conversations to which the caller is assigned.
    pub mine: usize,
    /// Number of conversations whose customer is waiting and not handled by a bot.
    pub unassigned: usize,
    /// Number of conversations whose customer is waiting and handled by a bot.
    pub bot: usize,
    pub open: usize,
    pub resolved: usize,
    /// Start of the longest current wait of a customer, without customers handled by a bot; `None`
    /// if none is waiting.
    pub longest_wait_since: Option<Timestamp>,
}

/// Number of conversations in each list of the inbox. Counts stop at 100,000.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InboxCounts)]
pub struct InboxCountsShape {
    /// Number of conversations whose customer is waiting and handled by a bot.
    bot: usize,
    /// Start of the longest current wait of a customer, without customers handled by a bot; null if
    /// none is waiting.
    longest_wait_since: Option<String>,
    /// Number of conversations to which the caller is assigned.
    mine: usize,
    open: usize,
    /// Number of resolved conversations. For agents who may not see all of them, or who serve
    /// selected channels only, the number of those they served.
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
