//! Periodic jobs of the server.

pub mod allocation;
pub(crate) mod allocation_wake;
pub mod file_removal;
pub mod idling;
pub mod indexing;
