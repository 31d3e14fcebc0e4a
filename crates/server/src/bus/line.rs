//! State shared by a bus and its transport.

use std::sync::atomic::AtomicBool;

use super::outbox::HintOutbox;
use super::receiving::ReachableNodes;

/// State shared by a bus and its transport.
pub(super) struct BusLine {
    pub(super) outbox: HintOutbox,
    pub(super) live_nodes: ReachableNodes,
    /// Whether hints of other nodes do not arrive, because connecting failed or the connection was
    /// lost. `false` until the first attempt has failed.
    pub(super) is_deaf: AtomicBool,
    /// Whether the transport does not accept this node's hints.
    pub(super) is_mute: AtomicBool,
}
