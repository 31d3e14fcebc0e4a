//! An app as lines of JSON (D-0173): what `confab export` writes and `confab import` reads, and
//! what the public message API of another server answers. docs/operating/moving.md shows it.
//!
//! Called by those commands. A line is read whole or refused with what is wrong; the caller knows
//! its number.

mod answers;
mod bounds;
mod lines;
mod shapes;

pub use answers::{FetchedComment, FetchedRoom, FetchedUser, comments, participants, rooms, users};
pub use lines::{Counts, FORMAT_VERSION, Line, read_line, write_line};
