//! The index of message numbers, in memory and on disk (D-0016).

pub(super) mod places;
pub(super) mod places_on_disk;
