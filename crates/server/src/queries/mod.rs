//! Reads that need a rule: what somebody may see, found in the store.
//!
//! Called by `http` and `realtime`. A query asks the domain who may see what, and the store for it;
//! it changes nothing and knows nothing of HTTP.

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

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    /// It is not for who asks, or is not there.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Failed(#[from] StoreError),
}
