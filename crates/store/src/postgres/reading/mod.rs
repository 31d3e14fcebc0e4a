//! Reads, and the cache of first pages.

pub(super) mod catching_up;
pub(super) mod first_pages;
pub(super) mod pages;
pub(super) mod participants;
#[cfg(test)]
pub(super) mod plans;
pub(super) mod rooms;
