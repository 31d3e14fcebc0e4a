//! Agents in responses to calls about assignment (wire facts 5.4).

use confab_domain::support::conversations::customer_room::Candidate;
use serde::Serialize;
use utoipa::ToSchema;

use crate::omnichannel_api::people::agents::{AgentShape, Viewer, Workplace, agent};
use crate::omnichannel_api::support::requests::AgentFilter;
use crate::omnichannel_api::support::{DataPage, PageMeta, page};

/// Response data with a list of agents.
#[derive(Serialize, ToSchema)]
pub struct AgentList<'a> {
    agents: Vec<AgentShape<'a>>,
}

/// Returns the requested page of the matching agents, ordered by id.
pub fn agent_page<'a>(
    found: &'a [Candidate],
    place: Workplace<'a>,
    wanted: &AgentFilter,
    viewer: Viewer,
) -> DataPage<AgentList<'a>> {
    let id = |it: &&Candidate| it.profile.user.id;
    let after = found.iter().filter(|it| wanted.after.is_none_or(|after| id(it) > after));
    let within = after.filter(|it| wanted.before.is_none_or(|before| id(it) < before));
    let mut agents: Vec<_> = within.collect();
    if wanted.before.is_some() {
        agents.drain(..agents.len().saturating_sub(wanted.size));
    }
    agents.truncate(wanted.size);
    let is_first = agents.first().map(id) == found.iter().next().as_ref().map(id);
    let is_last = agents.last().map(id) == found.iter().last().as_ref().map(id);
    let cursor = |agent: Option<&&Candidate>| agent.map(|agent| id(agent).to_string());
    let meta = PageMeta {
        after: cursor(agents.last()).filter(|_| !is_last),
        before: cursor(agents.first()).filter(|_| !is_first),
        per_page: wanted.size,
        total_count: Some(found.len() as u64),
    };
    let agents = agents.into_iter().map(|it| agent(it, place, viewer)).collect();
    page(AgentList { agents }, meta)
}

/// An agent that the server selected. No `Debug`, because it contains a key.
#[derive(Serialize, ToSchema)]
pub struct ChosenAgent<'a> {
    id: i64,
    name: &'a str,
    sdk_email: &'a str,
    email: &'a str,
    sdk_key: &'a str,
    r#type: i64,
    is_available: bool,
    avatar_url: Option<&'a str>,
    is_verified: bool,
    force_offline: bool,
    /// Number of customers currently assigned to the agent.
    count: u32,
}

/// Response data with the selected agent.
#[derive(Serialize, ToSchema)]
pub struct ChosenBox<'a> {
    agent: ChosenAgent<'a>,
}

/// Returns response data with the agent that the server selected.
pub fn chosen(candidate: &Candidate, viewer: Viewer) -> ChosenBox<'_> {
    let profile = &candidate.profile;
    let user = &profile.user;
    let agent = ChosenAgent {
        id: user.id.0,
        name: &user.name,
        sdk_email: profile.sdk_user.as_str(),
        email: &user.email,
        sdk_key: viewer.key(profile),
        r#type: user.role.number(),
        is_available: profile.is_available,
        avatar_url: profile.avatar_url.as_deref(),
        is_verified: profile.is_verified,
        force_offline: profile.is_forced_offline,
        count: candidate.serves,
    };
    ChosenBox { agent }
}

/// Response data with the number of waiting customers.
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalUnserved {
    /// Number of customers that are waiting for an agent.
    pub total_unserved: u64,
}

/// Response data with the number of waiting customers, in the field that clients of
/// `get_unresolved_count` expect.
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalUnresolved {
    /// Number of customers that are waiting for an agent.
    pub total_unresolved: u64,
}
