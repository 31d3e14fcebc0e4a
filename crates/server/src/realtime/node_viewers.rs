//! Who looks at a conversation through one node, as nodes tell each other.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NodeViewers {
    /// Which node tells: a number of its own for each process.
    pub(crate) node: u64,
    pub(crate) room: i64,
    /// All who look on there; nobody is left if there are none.
    pub(crate) people: Vec<NodeViewer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeViewer {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) is_typing: bool,
}
