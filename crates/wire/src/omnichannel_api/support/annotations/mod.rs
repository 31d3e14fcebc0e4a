//! Public JSON about notes, tags and seen marks.

pub mod marks;
pub mod notes;
pub mod tags;
