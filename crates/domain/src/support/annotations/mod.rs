//! What agents add to a conversation: notes, tags and seen marks.

pub mod marking;
pub mod note;
pub mod noting;
pub mod seen_mark;
pub mod tag;
pub mod tag_keeping;
pub mod tags;
