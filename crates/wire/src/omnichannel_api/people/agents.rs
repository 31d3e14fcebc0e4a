//! Agents of an app: adding, changing and listing them (wire facts 5.4).

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::division::{Division, Divisions};
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ChannelId, DivisionId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::Candidate;
use confab_domain::webhooks::event::AgentProfile;
use serde::Serialize;
use utoipa::ToSchema;

use super::sign_ins::SignInLink;
use crate::body::Body;
use crate::fields::{self, Flag, Integers, Label, Short, Within, field};
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Body of `POST /api/v2/admin/create_agent`.
    pub struct CreateAgentFields as "CreateAgent" {
        /// Display name of the agent.
        name: PersonName, required, example = "Ana";
        /// Email address with which the agent signs in.
        email: fields::Email, required, example = "ana@example.com";
        /// Password; not required with `sign_in_link`.
        password: fields::NewPassword, optional;
        /// Role: `admin`, `supervisor` or `agent`, or their numbers 1, 3, 2.
        r#type: RoleWord, required, example = "agent";
        /// Whether to return a link that signs the agent in once, in place of a password.
        sign_in_link: Flag, optional;
        /// URL of the agent's picture.
        avatar_url: fields::Picture, optional;
        /// Ids of the channels that the agent serves; all channels if absent or empty.
        channel_ids: Channels, optional;
        /// Ids of the agent's divisions; the app's default division if absent.
        division_ids: DivisionList, optional;
    }
}

/// A request to add an agent. No `Debug`, because it contains a password.
pub struct CreateAgent {
    /// Display name of the agent.
    pub name: String,
    /// Email address with which the agent signs in.
    pub email: EmailAddress,
    /// Password; `None` if a sign-in link is requested instead.
    pub password: Option<NewPassword>,
    /// Whether to create a link that signs the agent in once.
    pub wants_link: bool,
    pub role: Role,
    /// URL of the agent's picture.
    pub avatar_url: Option<String>,
    /// Divisions of the agent; `None` for the app's default division.
    pub divisions: Option<Vec<DivisionId>>,
    /// Channels that the agent serves; all channels if empty.
    pub channels: Vec<ChannelId>,
}

impl CreateAgent {
    /// Parses the body of `POST /api/v2/admin/create_agent`.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: CreateAgentFields = body.read()?;
        let CreateAgentFields { name, email, password, r#type: role, avatar_url, .. } = fields;
        let wants_link = fields.sign_in_link.unwrap_or(false);
        if password.is_none() && !wants_link {
            return Err(FieldProblem::new("password", "is required").into());
        }
        Ok(Self {
            name,
            email,
            password,
            wants_link,
            role,
            avatar_url: avatar_url.filter(|url| !url.is_empty()),
            divisions: fields.division_ids,
            channels: fields.channel_ids.unwrap_or_default(),
        })
    }
}

request! {
    /// Body of `POST /api/v2/admin/agent/{id}/update`.
    pub struct UpdateAgentFields as "UpdateAgent" {
        /// Maximum number of customers assigned to the agent; 0 for the app's default.
        customers_max: Within<0, { limits::AGENT_CUSTOMERS_MAX }>, optional;
        /// Display name of the agent.
        name: PersonName, optional;
        /// Email address with which the agent signs in.
        email: fields::Email, optional;
        /// New password of the agent; ends all sign-ins of the agent.
        password: fields::NewPassword, optional;
        /// Role: `admin`, `supervisor` or `agent`, or their numbers 1, 3, 2.
        r#type: RoleWord, optional, example = "supervisor";
        /// URL of the agent's picture; an empty string removes it.
        avatar_url: fields::Picture, optional;
        /// Ids of the channels that the agent serves; all channels if empty.
        channel_ids: Channels, optional;
        /// Ids of the agent's divisions; none if empty.
        division_ids: DivisionList, optional;
    }
}

/// A request to change an agent; `None` fields are unchanged. No `Debug`, because it may contain a
/// password.
pub struct UpdateAgent {
    /// Display name of the agent.
    pub name: Option<String>,
    /// Email address with which the agent signs in.
    pub email: Option<EmailAddress>,
    /// New password of the agent; ends all sign-ins of the agent.
    pub password: Option<NewPassword>,
    pub role: Option<Role>,
    /// URL of the agent's picture; an empty string removes it.
    pub avatar_url: Option<String>,
    /// Maximum number of customers assigned to the agent; `Some(None)` for the app's default.
    pub customers_max: Option<Option<u32>>,
    /// Channels that the agent serves; all channels if empty.
    pub channels: Option<Vec<ChannelId>>,
    /// Divisions of the agent.
    pub divisions: Option<Vec<DivisionId>>,
}

impl UpdateAgent {
    /// Parses the body of `POST /api/v2/admin/agent/{id}/update`.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UpdateAgentFields = body.read()?;
        Ok(Self {
            name: fields.name,
            email: fields.email,
            password: fields.password,
            role: fields.r#type,
            avatar_url: fields.avatar_url,
            customers_max: fields.customers_max.map(|max| Some(max).filter(|max| *max > 0)),
            channels: fields.channel_ids,
            divisions: fields.division_ids,
        })
    }
}

/// A display name without leading and trailing spaces.
type PersonName = Label<{ limits::NAME_CHARS_MAX }>;

field! {
    /// A role, by its name or number; an empty string counts as absent.
    RoleWord -> Role;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        let problem = "must be admin, supervisor or agent (or 1, 3, 2)";
        Role::parse(&text).or_else(|| reading.wrong(field, problem))
    }
}

field! {
    /// Ids of the channels that an agent serves.
    Channels -> Vec<ChannelId>, Integers::<{ limits::AGENT_CHANNELS_MAX }>::SHAPE;
    |reading, field, given| {
        let ids = distinct(reading, field, given, limits::AGENT_CHANNELS_MAX)?;
        Some(ids.into_iter().map(ChannelId).collect())
    }
}

field! {
    /// Ids of an agent's divisions.
    DivisionList -> Vec<DivisionId>, Integers::<{ limits::DIVISIONS_MAX }>::SHAPE;
    |reading, field, given| {
        let ids = distinct(reading, field, given, limits::DIVISIONS_MAX)?;
        Some(ids.into_iter().map(DivisionId).collect())
    }
}

/// Parses a possibly empty list of integers and removes duplicates.
fn distinct(
    reading: &mut FieldReader,
    field: &str,
    given: FieldJson<'_>,
    items_max: usize,
) -> Option<Vec<i64>> {
    let texts = reading.keys(field, given)?;
    // An empty string counts as no item, because forms cannot send an empty list in any other way.
    let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    if texts.len() > items_max {
        return reading.wrong(field, format!("must have at most {items_max} items"));
    }
    let mut ids = fields::integers(reading, field, &texts)?;
    ids.sort_unstable();
    ids.dedup();
    Some(ids)
}

request! {
    /// Body of `POST /api/v1/agent/set_availability`.
    pub struct AvailabilityFields as "SetAvailability" {
        /// Whether the caller accepts customers.
        is_available: Flag, required;
    }
}

/// Parses `is_available`.
pub fn read_availability(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: AvailabilityFields| fields.is_available)
}

request! {
    /// Body of `POST /api/v2/admin/agent/{id}/set_force_offline`.
    pub struct ForceOfflineFields as "SetForceOffline" {
        /// Whether to set the agent offline.
        force_offline: Flag, required;
    }
}

/// Parses `force_offline`.
pub fn read_force_offline(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: ForceOfflineFields| fields.force_offline)
}

request! {
    /// Query of `GET /api/v1/admin/agents/get_by_ids`.
    pub struct ByIdsFields {
        /// Ids of the agents to return; unknown ids are ignored.
        ids: Integers<{ limits::CALL_USERS_MAX }>, required;
    }
}

/// Parses the ids of the requested agents.
pub fn read_ids(query: &Body<'_>) -> Result<Vec<AgentId>, Refusal> {
    let ByIdsFields { ids } = query.read()?;
    Ok(ids.into_iter().map(AgentId).collect())
}

request! {
    /// Query of `GET /api/v1/admin/agents` and `GET /api/v2/admin/agents`.
    pub struct AgentListFields {
        /// Page number, from 1.
        page: FromOne, or 1, default = || 1.into();
        /// Agents per page, from 1; a value above 1000 means 1000, enough for all agents.
        limit: FromOne, or limits::PAGE_DEFAULT as u32, default = || limits::PAGE_DEFAULT.into();
        /// Part of the name or email address.
        search: Short<{ limits::NAME_CHARS_MAX }>, or String::new();
        /// `online`, `offline` or `all`.
        scope: Scope, optional, default = || "all".into();
        /// Role: `admin`, `supervisor`, `agent` or `all`.
        user_type_scope: RoleScope, optional, default = || "all".into();
    }
}

/// A positive integer.
pub(super) type FromOne = Within<1, { u32::MAX }>;

/// A request for one page of the agents that match a filter.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentListQuery {
    page: PageInput,
    search: String,
    is_available: Option<bool>,
    role: Option<Role>,
}

impl AgentListQuery {
    /// Parses the query of the calls that list agents.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: AgentListFields = query.read()?;
        Ok(Self {
            page: PageInput::of(fields.page, fields.limit),
            search: fields.search.trim().to_lowercase(),
            is_available: fields.scope,
            role: fields.user_type_scope,
        })
    }

    fn wants(&self, it: &Candidate) -> bool {
        let user = &it.profile.user;
        self.is_available.is_none_or(|wanted| it.profile.is_available == wanted)
            && self.role.is_none_or(|wanted| user.role == wanted)
            && [&user.name, &user.email].iter().any(|it| it.to_lowercase().contains(&self.search))
    }

    /// Returns the matching agents of this page, and the number of all matching agents.
    fn page_of<'a>(&self, all: &'a [Candidate]) -> (Vec<&'a Candidate>, usize) {
        self.page.cut(all.iter().filter(|it| self.wants(it)).collect())
    }
}

/// Number and size of a page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageInput {
    number: usize,
    size: usize,
}

impl PageInput {
    /// Creates a page with a limited size. Published clients request 1000 agents, to get all of
    /// them on one page.
    pub(super) fn of(page: u32, limit: u32) -> Self {
        Self { number: page as usize, size: (limit as usize).min(limits::CANDIDATES_MAX) }
    }

    /// Returns the number of items before this page.
    fn before(self) -> usize {
        (self.number - 1).saturating_mul(self.size)
    }

    /// Returns the items of this page, and the total number of items.
    pub(super) fn cut<T>(self, all: Vec<T>) -> (Vec<T>, usize) {
        let total = all.len();
        (all.into_iter().skip(self.before()).take(self.size).collect(), total)
    }

    /// Returns the `meta` of a page of divisions or of their agents, with the fields `limit`,
    /// `page` and `total` that published clients read.
    pub(super) fn division_meta(self, total: usize) -> DivisionListMeta {
        let (limit, page) = (self.size, self.number);
        DivisionListMeta { list: self.meta(total), limit, page, total }
    }

    /// Returns the `meta` of this page.
    pub(super) fn meta(self, total_count: usize) -> AgentListMeta {
        AgentListMeta {
            current_page: self.number,
            per_page: self.size,
            total_count,
            total_page: total_count.div_ceil(self.size),
        }
    }
}

field! {
    /// Whether to return agents who accept customers, or those who do not.
    Scope -> bool;
    |reading, field, given| {
        match reading.filled_text(field, given)?.as_str() {
            // Some clients send the name of the column to search. The search always covers names
            // and email addresses.
            "all" | "name" | "email" | "division" => None,
            "online" => Some(true),
            "offline" => Some(false),
            _ => reading.wrong(field, "must be online, offline or all"),
        }
    }
}

field! {
    RoleScope -> Role;
    |reading, field, given| {
        let text = reading.filled_text(field, given).filter(|text| text != "all")?;
        let problem = "must be admin, supervisor, agent or all";
        Role::parse(&text).or_else(|| reading.wrong(field, problem))
    }
}

/// The caller of a request, as far as it determines which agents' keys the response contains.
#[derive(Clone, Copy)]
pub struct Viewer {
    /// Whether the caller sees the keys of all agents: true for admins and the app itself.
    pub sees_keys: bool,
    /// The calling agent, who always sees their own key.
    pub own: Option<AgentId>,
}

impl Viewer {
    /// Returns the agent's key, or an empty string if the caller may not see it.
    pub(crate) fn key<'a>(&self, profile: &'a AgentProfile) -> &'a str {
        let sees = self.sees_keys || self.own == Some(profile.user.id);
        if sees { &profile.sdk_key } else { "" }
    }
}

/// An agent. No `Debug`, because it contains a key.
#[derive(Serialize, ToSchema)]
#[schema(as = Agent)]
pub struct AgentShape<'a> {
    avatar_url: Option<&'a str>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    /// Number of customers currently assigned to the agent.
    current_customer_count: u32,
    /// Maximum number of assigned customers; null for the app's default.
    customers_max: Option<u32>,
    email: &'a str,
    /// Whether an admin set the agent offline.
    force_offline: bool,
    id: i64,
    /// Whether the agent accepts customers.
    is_available: bool,
    is_req_otp_reset: bool,
    is_verified: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_login: Option<String>,
    name: &'a str,
    /// User id under which the agent posts in rooms.
    sdk_email: &'a str,
    /// Access token of the user as whom the agent posts; empty if the caller may not see it.
    sdk_key: &'a str,
    /// Role: 1 is an admin, 2 an agent, 3 a supervisor.
    #[schema(example = 2)]
    r#type: i64,
    #[schema(example = "agent")]
    type_as_string: &'static str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
    /// Channels that the agent serves; all channels if empty.
    user_channels: Vec<NamedRecord<'a>>,
    /// Divisions of the agent.
    user_roles: Vec<NamedRecord<'a>>,
}

/// The id and name of a channel or division.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NamedThing)]
pub(super) struct NamedRecord<'a> {
    pub(super) id: i64,
    pub(super) name: &'a str,
}

/// The channels and divisions of an app.
#[derive(Clone, Copy)]
pub struct Workplace<'a> {
    /// All channels of the app.
    pub channels: &'a [Channel],
    /// All divisions of the app, and their agents.
    pub divisions: &'a Divisions,
}

/// Returns an agent as shown in the public API (wire facts 5.4).
pub fn agent<'a>(it: &'a Candidate, place: Workplace<'a>, viewer: Viewer) -> AgentShape<'a> {
    let (profile, user) = (&it.profile, &it.profile.user);
    let channel = |id: &ChannelId| place.channels.iter().find(|channel| channel.id == *id);
    let division = |it: &'a Division| NamedRecord { id: it.id.0, name: &it.name };
    let named = |channel: &'a Channel| NamedRecord { id: channel.id.0, name: &channel.name };
    AgentShape {
        avatar_url: profile.avatar_url.as_deref(),
        created_at: to_the_second(user.created_at),
        current_customer_count: it.serves,
        customers_max: it.serves_max,
        email: &user.email,
        force_offline: profile.is_forced_offline,
        id: user.id.0,
        is_available: profile.is_available,
        is_req_otp_reset: false,
        is_verified: profile.is_verified,
        last_login: profile.last_login_at.map(to_the_second),
        name: &user.name,
        sdk_email: profile.sdk_user.as_str(),
        sdk_key: viewer.key(profile),
        r#type: user.role.number(),
        type_as_string: user.role.as_str(),
        updated_at: to_the_second(profile.updated_at),
        user_channels: it.channels.iter().filter_map(channel).map(named).collect(),
        user_roles: place.divisions.of(user.id).map(division).collect(),
    }
}

/// Response data with one agent.
#[derive(Serialize, ToSchema)]
pub struct AgentBox<'a> {
    pub agent: AgentShape<'a>,
    /// Link that signs the agent in once; absent unless the request asked for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in_link: Option<SignInLink>,
}

/// An agent in the response to `get_by_ids`.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentWithToken)]
pub struct AgentWithToken<'a> {
    #[serde(flatten)]
    agent: AgentShape<'a>,
    /// Always null: only hashes of tokens are stored.
    #[schema(value_type = Option<String>)]
    authentication_token: (),
}

/// Returns the agents with these ids, in the order of `ids`.
pub fn by_ids<'a>(
    all: &'a [Candidate],
    ids: &[AgentId],
    place: Workplace<'a>,
    viewer: Viewer,
) -> Vec<AgentWithToken<'a>> {
    let found = ids.iter().filter_map(|id| all.iter().find(|it| it.profile.user.id == *id));
    let with_token =
        |it| AgentWithToken { agent: agent(it, place, viewer), authentication_token: () };
    found.map(with_token).collect()
}

/// Response data with one page of agents and its position in the list.
#[derive(Serialize, ToSchema)]
pub struct AgentPageBox<'a> {
    agents: AgentPage<'a>,
}

/// A page of agents, with its position in the list by page number and by agent number.
#[derive(Serialize, ToSchema)]
struct AgentPage<'a> {
    current_page: usize,
    data: Vec<AgentShape<'a>>,
    /// Number of the first agent on this page, from 1; null on an empty page.
    from: Option<usize>,
    last_page: usize,
    per_page: usize,
    /// Number of the last agent on this page; null on an empty page.
    to: Option<usize>,
    total: usize,
}

/// Returns the response data of `GET /api/v1/admin/agents`.
pub fn agent_page<'a>(
    all: &'a [Candidate],
    wanted: &AgentListQuery,
    place: Workplace<'a>,
    viewer: Viewer,
) -> AgentPageBox<'a> {
    let (page, total) = wanted.page_of(all);
    let PageInput { number, size } = wanted.page;
    let before = wanted.page.before();
    let from = (!page.is_empty()).then_some(before + 1);
    let agents = AgentPage {
        current_page: number,
        from,
        last_page: total.div_ceil(size).max(1),
        per_page: size,
        to: from.map(|_| before + page.len()),
        total,
        data: page.into_iter().map(|it| agent(it, place, viewer)).collect(),
    };
    AgentPageBox { agents }
}

/// Body of the response to `GET /api/v2/admin/agents`. It contains `meta` twice, because some
/// clients read it at the top level and others in `data`.
#[derive(Serialize, ToSchema)]
pub struct AgentListShape<'a> {
    data: AgentListData<'a>,
    meta: AgentListMeta,
    #[schema(example = 200)]
    status: u16,
}

#[derive(Serialize, ToSchema)]
struct AgentListData<'a> {
    agents: Vec<AgentShape<'a>>,
    meta: AgentListMeta,
}

/// The position of a page in a list, and the number of items in the list.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(super) struct AgentListMeta {
    current_page: usize,
    per_page: usize,
    total_count: usize,
    total_page: usize,
}

/// The `meta` of lists of divisions, with additional fields under the names that published clients
/// read.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(super) struct DivisionListMeta {
    #[serde(flatten)]
    list: AgentListMeta,
    limit: usize,
    page: usize,
    total: usize,
}

/// Returns the body of the response to `GET /api/v2/admin/agents`.
pub fn agent_list<'a>(
    all: &'a [Candidate],
    wanted: &AgentListQuery,
    place: Workplace<'a>,
    viewer: Viewer,
) -> AgentListShape<'a> {
    let (page, total_count) = wanted.page_of(all);
    let meta = wanted.page.meta(total_count);
    let agents = page.into_iter().map(|it| agent(it, place, viewer)).collect();
    AgentListShape { data: AgentListData { agents, meta }, meta, status: 200 }
}
