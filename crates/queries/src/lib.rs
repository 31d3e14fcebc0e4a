//! Reads that need a rule: what a caller may see, found in the store.
//!
//! Called by `http` and `realtime`. A query asks the domain for permissions and the store for data.
//! It changes nothing and does not depend on HTTP.

pub mod analytics;
pub mod board;
pub mod client_rooms;
pub mod contacts;
pub mod conversation;
pub mod customer_rooms;
pub mod inbox;
pub mod inbox_counts;
pub mod inbox_rows;
pub mod message_search;
pub mod people;
pub mod reply_times;
pub mod search;
pub mod trail;
pub mod unread_users;
pub mod visibility;
pub mod visible_messages;

use confab_domain::refusal::Refusal;
use confab_store::StoreError;

/// Reason why a query has no result.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The object does not exist, or the caller may not see it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Failed(#[from] StoreError),
}
