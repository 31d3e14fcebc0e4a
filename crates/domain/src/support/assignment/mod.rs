//! Assignment of customers to agents, and the counts by which support is measured.

pub mod allocating;
pub mod tally;
pub mod transferring;
