//! Reads, and the caches that readers check first.

pub(super) mod catching_up;
pub(super) mod first_pages;
pub(super) mod lookups;
pub(super) mod pages;
pub(super) mod participants;
#[cfg(test)]
pub(super) mod plans;
pub(super) mod readers_memory;
pub(super) mod reads;
pub(super) mod rooms;
