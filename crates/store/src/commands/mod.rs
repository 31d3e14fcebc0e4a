//! Operations of the operator's commands, which work while servers run.

pub(super) mod analytics_rebuild;
pub(super) mod app_snapshot;
pub(super) mod command_database;
pub(super) mod read_only_data;
pub(super) mod registry;
pub(super) mod search_index;
