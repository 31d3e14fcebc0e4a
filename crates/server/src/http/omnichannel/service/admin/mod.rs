//! For admins, supervisors and the app itself, on every room.

pub(in crate::http) mod allocate_agent;
pub(in crate::http) mod allocate_assign_agent;
pub(in crate::http) mod assign_agent;
pub(in crate::http) mod available_agents;
pub(in crate::http) mod mark_as_resolved;
pub(in crate::http) mod other_agents;
pub(in crate::http) mod remove_agent;
pub(in crate::http) mod total_unserved;
