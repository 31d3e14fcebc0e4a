//! The JSON lines of `confab export` and `confab import` (D-0173), and the responses of another
//! server's message API. docs/operating/moving.md describes the format.
//!
//! A line is parsed completely or refused with the reason; the caller adds the line number.

mod answers;
mod bounds;
mod lines;
mod shapes;

pub use answers::{FetchedComment, FetchedRoom, FetchedUser, comments, participants, rooms, users};
pub use lines::{Counts, FORMAT_VERSION, Line, read_line, write_line};
