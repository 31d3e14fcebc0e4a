//! The agents who have a conversation open on one node, as sent to the other nodes.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeViewers {
    /// Random number that identifies the sending process.
    pub(crate) node: u64,
    pub(crate) room: i64,
    /// All viewers of the room on the sending node. Empty after the last one has left.
    pub(crate) people: Vec<NodeViewer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeViewer {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) is_typing: bool,
}
