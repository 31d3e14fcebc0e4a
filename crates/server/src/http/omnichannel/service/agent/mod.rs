//! For agents, on the rooms they serve, and those that nobody serves if agents may take them.

pub(in crate::http) mod assign_agent;
pub(in crate::http) mod available_agents;
pub(in crate::http) mod mark_as_resolved;
pub(in crate::http) mod other_agents;
pub(in crate::http) mod takeover_unserved;
pub(in crate::http) mod total_unserved;
