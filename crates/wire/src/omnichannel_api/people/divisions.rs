//! Divisions and their agents, and the channels that agents serve (wire facts 5.4, 5.7).

use confab_domain::agents::division::{Division, Divisions};
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{AppId, DivisionId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::Candidate;
use serde::Serialize;
use utoipa::ToSchema;

use super::agents::{
    AgentShape, DivisionListMeta, FromOne, NamedRecord, PageInput, Viewer, Workplace, agent,
};
use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::{Flag, Integers, Label};
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Query of `GET /api/v2/divisions`.
    pub struct DivisionsFields {
        /// Page number, from 1.
        page: FromOne, or 1, default = || 1.into();
        /// Divisions per page, from 1.
        limit: FromOne, or limits::PAGE_DEFAULT as u32, default = || limits::PAGE_DEFAULT.into();
    }
}

request! {
    /// Body of `POST /api/v2/divisions` and `POST /api/v2/divisions/{id}/update`.
    pub struct PutDivisionFields as "PutDivision" {
        /// Name of the division, unique in the app.
        name: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "Sales";
    }
}

/// Parses the name of a division.
pub fn read_division(body: &Body<'_>) -> Result<String, Refusal> {
    body.read().map(|fields: PutDivisionFields| fields.name)
}

/// A division of agents.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Division)]
pub struct DivisionShape<'a> {
    app_id: i64,
    id: i64,
    #[schema(example = "Sales")]
    name: &'a str,
    /// Whether new agents are added to this division by default.
    is_default: bool,
    /// Same value as `is_default`, under the name that published clients read.
    is_default_role: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
}

/// Returns a division as shown in the public API.
pub fn division(it: &Division, app: AppId) -> DivisionShape<'_> {
    DivisionShape {
        app_id: app.0,
        id: it.id.0,
        name: &it.name,
        is_default: it.is_default,
        is_default_role: it.is_default,
        created_at: to_the_second(it.created_at),
        updated_at: to_the_second(it.updated_at),
    }
}

/// Body of a response with a list of divisions.
#[derive(Serialize, ToSchema)]
pub struct DivisionList<'a> {
    data: Vec<DivisionShape<'a>>,
    meta: DivisionListMeta,
    #[schema(example = 200)]
    status: u16,
}

/// Returns the requested page of divisions.
pub fn divisions<'a>(
    all: &'a Divisions,
    app: AppId,
    query: &Body<'_>,
) -> Result<DivisionList<'a>, Refusal> {
    let DivisionsFields { page, limit } = query.read()?;
    let page = PageInput::of(page, limit);
    let (found, total) = page.cut(all.all.iter().collect());
    let data = found.into_iter().map(|it| division(it, app)).collect();
    Ok(DivisionList { data, meta: page.division_meta(total), status: 200 })
}

request! {
    /// Query of `GET /api/v2/admin/agents/by_division`.
    pub struct ByDivisionFields {
        /// Ids of the divisions whose agents are returned.
        division_ids: Integers<{ limits::DIVISIONS_MAX }>, required;
        /// Page number, from 1.
        page: FromOne, or 1, default = || 1.into();
        /// Agents per page, from 1; a value above 1000 means 1000, enough for all agents.
        limit: FromOne, or limits::PAGE_DEFAULT as u32, default = || limits::PAGE_DEFAULT.into();
        /// `true` for agents who accept customers, `false` for those who do not.
        is_available: Flag, optional;
        /// Order by name: `asc` or `desc`; order of creation if absent.
        sort: Sort, optional;
    }
}

/// A request for one page of the agents of some divisions.
#[derive(Debug, PartialEq, Eq)]
pub struct ByDivision {
    divisions: Vec<DivisionId>,
    page: PageInput,
    is_available: Option<bool>,
    sort: Option<Sort>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Ascending,
    Descending,
}

impl ByDivision {
    /// Parses the query of `GET /api/v2/admin/agents/by_division`.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ByDivisionFields { division_ids, page, limit, is_available, sort } = query.read()?;
        let page = PageInput::of(page, limit);
        let divisions = division_ids.into_iter().map(DivisionId).collect();
        Ok(Self { divisions, page, is_available, sort })
    }

    fn wants(&self, it: &Candidate, divisions: &Divisions) -> bool {
        divisions.of(it.profile.user.id).any(|of| self.divisions.contains(&of.id))
            && self.is_available.is_none_or(|wanted| it.profile.is_available == wanted)
    }
}

impl Field for Sort {
    type Value = Self;

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Self> {
        match reading.filled_text(field, given)?.to_lowercase().as_str() {
            "asc" => Some(Self::Ascending),
            "desc" => Some(Self::Descending),
            _ => reading.wrong(field, "must be asc or desc"),
        }
    }
}

/// Body of a response with agents, listed directly in `data` as public clients expect.
#[derive(Serialize, ToSchema)]
pub struct DivisionAgents<'a> {
    data: Vec<AgentShape<'a>>,
    meta: DivisionListMeta,
    #[schema(example = 200)]
    status: u16,
}

/// Returns the response to `GET /api/v2/admin/agents/by_division`.
pub fn by_division<'a>(
    all: &'a [Candidate],
    wanted: &ByDivision,
    place: Workplace<'a>,
    viewer: Viewer,
) -> DivisionAgents<'a> {
    let mut found: Vec<_> = all.iter().filter(|it| wanted.wants(it, place.divisions)).collect();
    let name = |it: &&Candidate| it.profile.user.name.to_lowercase();
    match wanted.sort {
        None => {}
        Some(Sort::Ascending) => found.sort_by_key(name),
        Some(Sort::Descending) => found.sort_by_key(|it| std::cmp::Reverse(name(it))),
    }
    let (found, total) = wanted.page.cut(found);
    let data = found.into_iter().map(|it| agent(it, place, viewer)).collect();
    DivisionAgents { data, meta: wanted.page.division_meta(total), status: 200 }
}

/// Response data with the channels that an agent serves.
#[derive(Serialize, ToSchema)]
pub struct AgentChannels<'a> {
    channels: Vec<NamedRecord<'a>>,
}

/// Returns the response data of `GET /api/v2/admin/agent/{id}/channels`: channels whose customers
/// may be assigned to the agent.
pub fn agent_channels<'a>(it: &Candidate, channels: &'a [Channel]) -> AgentChannels<'a> {
    let served = channels.iter().filter(|channel| it.serves_channel(channel.id));
    let named = |channel: &'a Channel| NamedRecord { id: channel.id.0, name: &channel.name };
    AgentChannels { channels: served.map(named).collect() }
}
