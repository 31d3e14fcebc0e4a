//! Divisions, which here are the roles, and what agents serve (wire facts 5.4, D-0064).

use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_room::Candidate;
use serde::Serialize;
use utoipa::ToSchema;

use super::agents::{AgentListMeta, AgentShape, FromOne, Named, Viewer, WantedPage, agent};
use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::{Flag, Integers};
use crate::reading::{Given, Reading};
use crate::request::request;

request! {
    /// `GET /api/v2/divisions`
    pub struct DivisionsFields {
        /// From 1 on.
        page: FromOne, or 1, default = || 1.into();
        /// From 1 on.
        limit: FromOne, or limits::PAGE_DEFAULT as u32, default = || limits::PAGE_DEFAULT.into();
    }
}

/// `{data, meta, status}`
#[derive(Serialize, ToSchema)]
pub struct DivisionList {
    /// `admin`, `agent` and `supervisor`: the `user_roles` of agents.
    data: Vec<Named<'static>>,
    meta: AgentListMeta,
    #[schema(example = 200)]
    status: u16,
}

/// The part of the list that the query wants.
pub fn divisions(query: &Body<'_>) -> Result<DivisionList, Refusal> {
    let DivisionsFields { page, limit } = query.read()?;
    let page = WantedPage::of(page, limit);
    let all = Role::ALL.map(|role| Named { id: role.number(), name: role.as_str() });
    let (data, total) = page.cut(all.into_iter().collect());
    Ok(DivisionList { data, meta: page.meta(total), status: 200 })
}

request! {
    /// `GET /api/v2/admin/agents/by_division`
    pub struct ByDivisionFields {
        /// The `user_roles` of those who are wanted.
        division_ids: Integers<{ limits::CALL_USERS_MAX }>, required;
        /// From 1 on.
        page: FromOne, or 1, default = || 1.into();
        /// From 1 on; more than 1000 gives 1000, which is everybody.
        limit: FromOne, or limits::PAGE_DEFAULT as u32, default = || limits::PAGE_DEFAULT.into();
        /// Only those who take customers, or only those who do not.
        is_available: Flag, optional;
        /// By name, `asc` or `desc`; in the order they came if absent.
        sort: Sort, optional;
    }
}

/// Which of those who work in an app are wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct ByDivision {
    divisions: Vec<i64>,
    page: WantedPage,
    is_available: Option<bool>,
    sort: Option<Sort>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Ascending,
    Descending,
}

impl ByDivision {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ByDivisionFields { division_ids, page, limit, is_available, sort } = query.read()?;
        let page = WantedPage::of(page, limit);
        Ok(Self { divisions: division_ids, page, is_available, sort })
    }

    fn wants(&self, it: &Candidate) -> bool {
        self.divisions.contains(&it.profile.user.role.number())
            && self.is_available.is_none_or(|wanted| it.profile.is_available == wanted)
    }
}

impl Field for Sort {
    type Value = Self;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self> {
        match reading.filled_text(field, given)?.to_lowercase().as_str() {
            "asc" => Some(Self::Ascending),
            "desc" => Some(Self::Descending),
            _ => reading.wrong(field, "must be asc or desc"),
        }
    }
}

/// `{data, meta, status}`: agents without a box, as public clients read them.
#[derive(Serialize, ToSchema)]
pub struct DivisionAgents<'a> {
    data: Vec<AgentShape<'a>>,
    meta: AgentListMeta,
    #[schema(example = 200)]
    status: u16,
}

/// `GET /api/v2/admin/agents/by_division`
pub fn by_division<'a>(
    all: &'a [Candidate],
    wanted: &ByDivision,
    channels: &'a [Channel],
    viewer: Viewer,
) -> DivisionAgents<'a> {
    let mut found: Vec<_> = all.iter().filter(|it| wanted.wants(it)).collect();
    let name = |it: &&Candidate| it.profile.user.name.to_lowercase();
    match wanted.sort {
        None => {}
        Some(Sort::Ascending) => found.sort_by_key(name),
        Some(Sort::Descending) => found.sort_by_key(|it| std::cmp::Reverse(name(it))),
    }
    let (found, total) = wanted.page.cut(found);
    let data = found.into_iter().map(|it| agent(it, channels, viewer)).collect();
    DivisionAgents { data, meta: wanted.page.meta(total), status: 200 }
}

/// `{channels}`
#[derive(Serialize, ToSchema)]
pub struct AgentChannels<'a> {
    channels: Vec<Named<'a>>,
}

/// `GET /api/v2/admin/agent/{id}/channels`: those whose customers they may serve.
pub fn agent_channels<'a>(it: &Candidate, channels: &'a [Channel]) -> AgentChannels<'a> {
    let served = channels.iter().filter(|channel| it.serves_channel(channel.id));
    let named = |channel: &'a Channel| Named { id: channel.id.0, name: &channel.name };
    AgentChannels { channels: served.map(named).collect() }
}
