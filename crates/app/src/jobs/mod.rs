//! Periodic jobs of the server.

pub mod allocation;
pub mod file_removal;
pub mod idling;
pub mod indexing;
