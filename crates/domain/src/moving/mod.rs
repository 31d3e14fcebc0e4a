//! An app that moves: what is taken out of one server and into another (D-0173).
//!
//! [`moved`] is what is carried, [`names`] says who is meant by the names of the other server, and
//! [`importing`] takes it in. Called by the store, which reads an app whole, by `wire`, which
//! writes and reads the lines of a file, and by the commands that move. Nobody outside is told of
//! what is taken in: it happened long ago.

pub mod importing;
pub mod moved;
pub mod names;
