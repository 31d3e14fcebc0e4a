//! Divisions, which here are the roles, and what agents serve (wire facts 5.4, D-0064).

use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_room::Candidate;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::agents::{AgentListMeta, AgentShape, Named, Viewer, WantedPage, agent, integer};
use crate::body::Body;
use crate::reading::{Given, Reading};

/// `GET /api/v2/divisions`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DivisionsFields<'a> {
    /// From 1 on.
    #[param(value_type = Option<u64>, default = 1)]
    #[serde(borrow, default)]
    page: Given<'a>,
    /// From 1 on.
    #[param(value_type = Option<u64>, default = 20)]
    #[serde(default)]
    limit: Given<'a>,
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
    let fields: DivisionsFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let page = WantedPage::read(&mut reading, fields.page, fields.limit);
    reading.finish()?;
    let all = Role::ALL.map(|role| Named { id: role.number(), name: role.as_str() });
    let (data, total) = page.cut(all.into_iter().collect());
    Ok(DivisionList { data, meta: page.meta(total), status: 200 })
}

/// `GET /api/v2/admin/agents/by_division`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ByDivisionFields<'a> {
    /// The `user_roles` of those who are wanted.
    #[param(rename = "division_ids[]", value_type = Vec<i64>)]
    #[serde(borrow, default)]
    division_ids: Given<'a>,
    /// From 1 on.
    #[param(value_type = Option<u64>, default = 1)]
    #[serde(default)]
    page: Given<'a>,
    /// From 1 on; more than 1000 gives 1000, which is everybody.
    #[param(value_type = Option<u64>, default = 20)]
    #[serde(default)]
    limit: Given<'a>,
    /// Only those who take customers, or only those who do not.
    #[param(value_type = Option<bool>)]
    #[serde(default)]
    is_available: Given<'a>,
    /// By name, `asc` or `desc`; in the order they came if absent.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    sort: Given<'a>,
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
        let fields: ByDivisionFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let texts = reading.keys("division_ids", fields.division_ids);
        let texts = reading.needed("division_ids", texts).unwrap_or_default();
        if texts.len() > limits::CALL_USERS_MAX {
            let problem = format!("must have at most {} items", limits::CALL_USERS_MAX);
            reading.wrong::<()>("division_ids", problem);
        }
        let divisions: Vec<_> = texts.iter().filter_map(|text| integer(text)).collect();
        if divisions.len() != texts.len() {
            reading.wrong::<()>("division_ids", "must be a list of integers");
        }
        let wanted = Self {
            divisions,
            page: WantedPage::read(&mut reading, fields.page, fields.limit),
            is_available: reading.boolean("is_available", fields.is_available),
            sort: read_sort(&mut reading, fields.sort),
        };
        reading.finish()?;
        Ok(wanted)
    }

    fn wants(&self, it: &Candidate) -> bool {
        self.divisions.contains(&it.profile.user.role.number())
            && self.is_available.is_none_or(|wanted| it.profile.is_available == wanted)
    }
}

fn read_sort(reading: &mut Reading, given: Given<'_>) -> Option<Sort> {
    match reading.filled_text("sort", given)?.to_lowercase().as_str() {
        "asc" => Some(Sort::Ascending),
        "desc" => Some(Sort::Descending),
        _ => reading.wrong("sort", "must be asc or desc"),
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
