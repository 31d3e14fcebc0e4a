//! Connected clients are notified of events at once.

pub(crate) mod event_stream;
mod faults;
mod forged;
mod future_ids;
pub(crate) mod mqtt;
mod plain;
mod restarting;
mod sdk;
mod too_many;
mod two_nodes;
pub(crate) mod watcher;
