//! Notes, tags and seen marks, which agents add to conversations.

pub mod marking;
pub mod note;
pub mod noting;
pub mod seen_mark;
pub mod tag;
pub mod tag_keeping;
pub mod tags;
