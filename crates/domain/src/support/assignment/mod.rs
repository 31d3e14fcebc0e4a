//! Assignment of customers to agents, and statistics of support.

pub mod allocating;
pub mod tally;
pub mod transferring;
