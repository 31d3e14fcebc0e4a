//! State that a bus shares with its transport.

use std::sync::atomic::AtomicBool;

use super::outbox::HintOutbox;
use super::receiving::ReachableNodes;

/// The queue to the transport, and the state of the transport.
pub(super) struct BusLine {
    pub(super) outbox: HintOutbox,
    pub(super) live_nodes: ReachableNodes,
    /// Whether hints from other nodes do not arrive, because connecting failed or the connection
    /// was lost. `false` until the first attempt has failed.
    pub(super) is_deaf: AtomicBool,
    /// Whether the transport does not accept this node's hints.
    pub(super) is_mute: AtomicBool,
}
