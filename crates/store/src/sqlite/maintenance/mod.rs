//! Checkpoints, copies and checks of the database, and connections of the operator's commands.

pub(crate) mod backup;
pub(crate) mod check;
pub(super) mod checkpoints;
pub(crate) mod commands;
pub(super) mod emptying;
