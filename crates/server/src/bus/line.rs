//! What a bus shares with its transport.

use std::sync::atomic::AtomicBool;

use super::outbox::HintOutbox;
use super::receiving::HeardNodes;

/// What a bus shares with its transport.
pub(super) struct BusLine {
    pub(super) outbox: HintOutbox,
    pub(super) heard_nodes: HeardNodes,
    /// What others tell does not reach us: trying failed, or the connection was lost. The first
    /// try may take its time.
    pub(super) is_deaf: AtomicBool,
    /// What we tell is not taken.
    pub(super) is_mute: AtomicBool,
}
