//! The writer: loads the facts of decisions, and writes the changes of many in one commit.

pub(super) mod batch;
pub(super) mod changes;
pub(super) mod deliveries;
pub(super) mod facts;
pub(super) mod memory;
pub(super) mod writer;
