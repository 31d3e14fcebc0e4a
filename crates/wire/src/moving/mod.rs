//! Apps as lines of JSON (D-0173): the format of `confab export` and `confab import`, and the
//! responses of another server's public message API. `docs/operating/moving.md` describes it.
//!
//! Called by these commands. A line is either read completely or refused with a reason; the caller
//! adds the line's number.

mod answers;
mod lines;
mod shapes;

pub use answers::{FetchedComment, FetchedRoom, FetchedUser, comments, participants, rooms, users};
pub use lines::{Counts, FORMAT_VERSION, Line, read_line, write_line};
