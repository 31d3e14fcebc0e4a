//! Public JSON about the assignment of customers to agents.

pub mod agents;
pub mod counts;
pub mod sessions;
pub mod transfers;
