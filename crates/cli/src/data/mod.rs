//! Commands about the stored data.

pub(super) mod analytics;
pub(super) mod archive;
pub(super) mod backup;
pub(super) mod check;
pub(super) mod registry;
pub(super) mod restore;
pub(super) mod search;
pub(super) mod secrets;
