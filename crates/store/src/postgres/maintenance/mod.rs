//! Daily partitions, checks, and connections of the operator's commands.

pub(crate) mod check;
pub(crate) mod commands;
pub(super) mod days;
pub(crate) mod examining;
