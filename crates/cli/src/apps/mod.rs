//! Commands about apps, their keys and their agents.

pub(super) mod app;
pub(super) mod app_key;
pub(super) mod user;
