//! The writer: loads the facts of a batch of decisions, and writes their changes in one commit.

pub(super) mod asked;
pub(super) mod batch_facts;
pub(super) mod changes;
pub(super) mod deliveries;
pub(super) mod facts;
pub(super) mod failure;
pub(super) mod writer;
