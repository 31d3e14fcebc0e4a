//! Reads that need a rule: what a caller may see, found in the store.
//!
//! Called by `http` and `realtime`. A query asks the domain for permissions and the store for data.
//! It changes nothing and does not depend on HTTP.

pub(crate) mod analytics;
pub(crate) mod board;
pub(crate) mod client_rooms;
pub(crate) mod contacts;
pub(crate) mod conversation;
pub(crate) mod customer_rooms;
pub(crate) mod inbox;
pub(crate) mod inbox_counts;
pub(crate) mod inbox_rows;
pub(crate) mod message_search;
pub(crate) mod people;
pub(crate) mod reply_times;
pub(crate) mod search;
pub(crate) mod trail;
pub(crate) mod unread_users;
pub(crate) mod visibility;
pub(crate) mod visible_messages;

use confab_domain::refusal::Refusal;
use confab_store::StoreError;

/// Reason why a query has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    /// The object does not exist, or the caller may not see it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Failed(#[from] StoreError),
}
