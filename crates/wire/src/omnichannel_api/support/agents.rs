//! Agents as the calls about service show them (wire facts 5.4).

use confab_domain::support::customer_room::Candidate;
use serde::Serialize;
use utoipa::ToSchema;

use super::requests::AgentFilter;
use super::{DataPage, PageMeta, page};
use crate::omnichannel_api::people::agents::{AgentShape, Viewer, Workplace, agent};

/// `{agents}`
#[derive(Serialize, ToSchema)]
pub struct AgentList<'a> {
    agents: Vec<AgentShape<'a>>,
}

/// The page that was asked for, of all who match, in the order of their integers.
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

/// An agent whom the server chose. No `Debug`: it holds a key.
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
    /// How many customers they serve now.
    count: u32,
}

/// `{agent}`
#[derive(Serialize, ToSchema)]
pub struct ChosenBox<'a> {
    agent: ChosenAgent<'a>,
}

/// Whom the server chose.
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

/// `{total_unserved}`
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalUnserved {
    /// How many customers wait for an agent.
    pub total_unserved: u64,
}

/// `{total_unresolved}`
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalUnresolved {
    /// How many customers wait for an agent.
    pub total_unresolved: u64,
}
