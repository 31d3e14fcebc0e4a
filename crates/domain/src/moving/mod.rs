//! Moving of an app from one server to another by an export file (D-0173).
//!
//! [`moved`] has the exported values, [`names`] maps users, agents and channels of the exporting
//! server to this one, and [`importing`] has the rules of the import. The store reads an app as
//! these values, `wire` converts them to and from the lines of a file, and commands run the export
//! and the import.

pub mod importing;
pub mod moved;
pub mod names;
