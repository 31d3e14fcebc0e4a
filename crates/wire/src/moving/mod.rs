//! Export files with one JSON object per line (D-0173), and responses of the message API of another
//! server. `docs/operating/moving.md` describes the export and import of an app.
//!
//! A line is accepted as a whole or refused with a problem. Problems are the end of a sentence, to
//! which the caller adds the number of the line.

mod answers;
mod bounds;
mod lines;
mod shapes;

pub use answers::{FetchedComment, FetchedRoom, FetchedUser, comments, participants, rooms, users};
pub use lines::{Counts, FORMAT_VERSION, Line, read_line, write_line};
