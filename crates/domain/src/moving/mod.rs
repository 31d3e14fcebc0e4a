//! Moving an app from one server to another by an export file (D-0173).
//!
//! [`moved`] has the exported values, [`names`] resolves names of the exporting server, and
//! [`importing`] has the rules of the import. The store reads an app into these values, `wire`
//! converts them to and from the lines of a file, and commands run the move.

pub mod importing;
pub mod moved;
pub mod names;
