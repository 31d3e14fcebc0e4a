//! Updates the search index in the background (D-0145).
//!
//! The position of the index is stored with each step: a crash loses one step at most, which is
//! then repeated. If there are several nodes, only one of them writes at a time.

use std::sync::Arc;
use std::time::Duration;

use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{EventId, ID_END, MessageId};
use confab_domain::limits;
use confab_domain::support::conversations::index_state::IndexState;
use confab_domain::support::conversations::indexing::IndexStep;
use confab_domain::time::Timestamp;
use confab_runtime::clock::SystemStamps;
use confab_runtime::failures::chain;
use confab_runtime::ids;
use confab_store::{Store, StoreError};

use crate::services::Services;

/// Interval of polling for new messages and contacts.
const CHECK_EVERY: Duration = Duration::from_millis(500);

/// Indexes new messages and contacts until the task is aborted.
pub(crate) async fn keep_indexing(services: Services, stamps: Arc<SystemStamps>) {
    let holder = ids::process_tag();
    let mut every = tokio::time::interval(CHECK_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        loop {
            match step(services.store(), &holder, stamps.now()).await {
                Ok(false) => break,
                Ok(true) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!(error = %chain(&error), "failed to index messages and contacts");
                    break;
                }
            }
        }
    }
}

/// Indexes one batch of messages and contacts. Returns whether there may be more.
async fn step(store: &Store, holder: &str, now: Timestamp) -> Result<bool, StoreError> {
    let state = store.index_state().await?;
    let is_alone = store.notices().is_none();
    // A single process takes over the lease at once: its earlier holder no longer runs.
    let holder = if is_alone { state.holder.as_str() } else { holder };
    if state.holder != holder && state.held_until > now {
        return Ok(false);
    }
    let size = limits::INDEX_STEP;
    let new = store.unindexed(state.reached, MessageId(ID_END)).await?;
    let contacts = store.users_after(state.contacts_up_to, size).await?;
    let reached = new.up_to.unwrap_or(state.reached);
    let mut has_more = new.has_more || contacts.len() == size;
    let (mut messages, mut is_nothing) = (new.messages, new.up_to.is_none());
    let up_to = if is_alone { reached } else { late(now).min(state.reached).max(state.up_to) };
    let mut settled = up_to;
    if !is_alone && up_to > state.up_to {
        // Other nodes may have committed messages with lower ids after this position was passed.
        let again = store.unindexed(state.up_to, up_to).await?;
        if again.has_more {
            has_more = true;
            settled = again.up_to.unwrap_or(up_to);
        }
        is_nothing &= again.up_to.is_none();
        messages.extend(again.messages);
    }
    let contacts_up_to = contacts.last().map_or(state.contacts_up_to, |it| it.key);
    if is_nothing && contacts.is_empty() {
        return Ok(false);
    }
    let held_until = Timestamp(now.0 + limits::INDEX_HELD_MS * 1_000);
    let state = IndexState {
        up_to: settled,
        reached,
        contacts_up_to,
        holder: holder.to_owned(),
        held_until,
        generation: state.generation,
    };
    store.write_index(IndexStep { messages, contacts, state, now }).await?;
    Ok(has_more)
}

/// Returns the highest message id up to which no node can still commit messages.
fn late(now: Timestamp) -> MessageId {
    let before = Timestamp(now.0 - limits::REALTIME_LATE_MS as i64 * 1_000);
    MessageId(EventId::first_at(before).0 - 1)
}
