//! Those who work in an app: adding, changing and listing them (wire facts 5.4, D-0033).

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::division::{Division, Divisions};
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ChannelId, DivisionId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::customer_room::Candidate;
use confab_domain::webhooks::event::AgentProfile;
use serde::Serialize;
use utoipa::ToSchema;

use super::sign_ins::SignInLink;
use crate::body::Body;
use crate::fields::{self, Flag, Integers, Label, Short, Within, field};
use crate::reading::{Given, Reading};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// `POST /api/v2/admin/create_agent`
    pub struct CreateAgentFields as "CreateAgent" {
        /// The name for people.
        name: PersonName, required, example = "Ana";
        /// The sign-in name.
        email: fields::Email, required, example = "ana@example.com";
        /// The password; not needed with `sign_in_link`.
        password: fields::NewPassword, optional;
        /// `admin`, `supervisor` or `agent`; or their numbers 1, 3, 2.
        r#type: RoleWord, required, example = "agent";
        /// Also make a link that signs them in once, so that nobody must invent a password.
        sign_in_link: Flag, optional;
        /// A picture.
        avatar_url: fields::Picture, optional;
        /// The only channels that they serve; all if it is absent or empty.
        channel_ids: Channels, optional;
        /// The divisions that they are in; the app's default one if it is absent.
        division_ids: DivisionList, optional;
    }
}

/// Somebody who shall work in the app. No `Debug`: it holds a password.
pub struct CreateAgent {
    /// The name for people.
    pub name: String,
    /// The sign-in name.
    pub email: EmailAddress,
    /// The password; nothing if a link is wanted instead.
    pub password: Option<NewPassword>,
    /// Whether a link is wanted that signs them in once.
    pub wants_link: bool,
    /// What they may do.
    pub role: Role,
    /// A picture.
    pub avatar_url: Option<String>,
    /// The divisions that they are in.
    pub divisions: Option<Vec<DivisionId>>,
    /// The only channels they serve; all if there are none.
    pub channels: Vec<ChannelId>,
}

impl CreateAgent {
    /// Reads the request.
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
    /// `POST /api/v2/admin/agent/{id}/update`
    pub struct UpdateAgentFields as "UpdateAgent" {
        /// Customers that the agent serves at most; 0 is as many as the app says.
        customers_max: Within<0, { limits::AGENT_CUSTOMERS_MAX }>, optional;
        /// The name for people.
        name: PersonName, optional;
        /// The sign-in name.
        email: fields::Email, optional;
        /// A new password, which ends all sign-ins.
        password: fields::NewPassword, optional;
        /// `admin`, `supervisor` or `agent`; or their numbers 1, 3, 2.
        r#type: RoleWord, optional, example = "supervisor";
        /// A picture; an empty text takes it away.
        avatar_url: fields::Picture, optional;
        /// The only channels that the agent serves; all if the list is empty.
        channel_ids: Channels, optional;
        /// The only divisions that the agent is in; none if the list is empty.
        division_ids: DivisionList, optional;
    }
}

/// How somebody shall change; what is `None` stays. No `Debug`: it may hold a password.
pub struct UpdateAgent {
    /// The name for people.
    pub name: Option<String>,
    /// The sign-in name.
    pub email: Option<EmailAddress>,
    /// A new password.
    pub password: Option<NewPassword>,
    /// What they may do.
    pub role: Option<Role>,
    /// A picture, or an empty text.
    pub avatar_url: Option<String>,
    /// Customers at most; `Some(None)` is as many as the app says.
    pub customers_max: Option<Option<u32>>,
    /// The only channels they serve.
    pub channels: Option<Vec<ChannelId>>,
    /// The divisions they are in.
    pub divisions: Option<Vec<DivisionId>>,
}

impl UpdateAgent {
    /// Reads the request.
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

/// A name for people without blanks around it.
type PersonName = Label<{ limits::NAME_CHARS_MAX }>;

field! {
    /// What somebody may do; an empty text counts as missing.
    RoleWord -> Role;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        let problem = "must be admin, supervisor or agent (or 1, 3, 2)";
        Role::parse(&text).or_else(|| reading.wrong(field, problem))
    }
}

field! {
    /// The only channels that an agent serves.
    Channels -> Vec<ChannelId>, Integers::<{ limits::AGENT_CHANNELS_MAX }>::SHAPE;
    |reading, field, given| {
        let ids = distinct(reading, field, given, limits::AGENT_CHANNELS_MAX)?;
        Some(ids.into_iter().map(ChannelId).collect())
    }
}

field! {
    /// The only divisions that an agent is in.
    DivisionList -> Vec<DivisionId>, Integers::<{ limits::DIVISIONS_MAX }>::SHAPE;
    |reading, field, given| {
        let ids = distinct(reading, field, given, limits::DIVISIONS_MAX)?;
        Some(ids.into_iter().map(DivisionId).collect())
    }
}

/// Integers, each once; there may be none.
fn distinct(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    items_max: usize,
) -> Option<Vec<i64>> {
    let texts = reading.keys(field, given)?;
    // A form has no other way to send an empty list.
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
    /// `POST /api/v1/agent/set_availability`
    pub struct AvailabilityFields as "SetAvailability" {
        /// Whether the caller takes customers.
        is_available: Flag, required;
    }
}

/// Reads `is_available`.
pub fn read_availability(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: AvailabilityFields| fields.is_available)
}

request! {
    /// `POST /api/v2/admin/agent/{id}/set_force_offline`
    pub struct ForceOfflineFields as "SetForceOffline" {
        /// Whether the agent is kept offline.
        force_offline: Flag, required;
    }
}

/// Reads `force_offline`.
pub fn read_force_offline(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: ForceOfflineFields| fields.force_offline)
}

request! {
    /// `GET /api/v1/admin/agents/get_by_ids`
    pub struct ByIdsFields {
        /// Whom to give; those who are not there are left out.
        ids: Integers<{ limits::CALL_USERS_MAX }>, required;
    }
}

/// Reads whom to give.
pub fn read_ids(query: &Body<'_>) -> Result<Vec<AgentId>, Refusal> {
    let ByIdsFields { ids } = query.read()?;
    Ok(ids.into_iter().map(AgentId).collect())
}

request! {
    /// `GET /api/v1/admin/agents`, `GET /api/v2/admin/agents`
    pub struct AgentListFields {
        /// From 1 on.
        page: FromOne, or 1, default = || 1.into();
        /// From 1 on; more than 1000 gives 1000, which is everybody.
        limit: FromOne, or limits::PAGE_DEFAULT as u32, default = || limits::PAGE_DEFAULT.into();
        /// Part of the name or of the e-mail address.
        search: Short<{ limits::NAME_CHARS_MAX }>, or String::new();
        /// `online`, `offline` or `all`.
        scope: Scope, optional, default = || "all".into();
        /// `admin`, `supervisor`, `agent` or `all`.
        user_type_scope: RoleScope, optional, default = || "all".into();
    }
}

/// An integer from 1 on.
pub(super) type FromOne = Within<1, { u32::MAX }>;

/// Which of those who work in an app are wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentListQuery {
    page: PageInput,
    search: String,
    is_available: Option<bool>,
    role: Option<Role>,
}

impl AgentListQuery {
    /// Reads the query.
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

    /// The wanted ones of this page, and how many are wanted in all.
    fn page_of<'a>(&self, all: &'a [Candidate]) -> (Vec<&'a Candidate>, usize) {
        self.page.cut(all.iter().filter(|it| self.wants(it)).collect())
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageInput {
    number: usize,
    size: usize,
}

impl PageInput {
    /// Public clients ask for 1000, to have everybody on one page (D-0055).
    pub(super) fn of(page: u32, limit: u32) -> Self {
        Self { number: page as usize, size: (limit as usize).min(limits::CANDIDATES_MAX) }
    }

    /// How many are on the pages before.
    fn before(self) -> usize {
        (self.number - 1).saturating_mul(self.size)
    }

    /// Those on the page, and how many there are in all.
    pub(super) fn cut<T>(self, all: Vec<T>) -> (Vec<T>, usize) {
        let total = all.len();
        (all.into_iter().skip(self.before()).take(self.size).collect(), total)
    }

    /// The `meta` of a page of divisions or of their agents: published clients read `limit`,
    /// `page` and `total`.
    pub(super) fn division_meta(self, total: usize) -> DivisionListMeta {
        let (limit, page) = (self.size, self.number);
        DivisionListMeta { list: self.meta(total), limit, page, total }
    }

    /// What is said about the page.
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
    /// Whether those who take customers are wanted, or those who do not.
    Scope -> bool;
    |reading, field, given| {
        match reading.filled_text(field, given)?.as_str() {
            // Some clients say by it what to search in: names and addresses are, always.
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

/// Who asks, as far as keys are concerned.
#[derive(Clone, Copy)]
pub struct Viewer {
    /// Admins and the app itself see everybody's key.
    pub sees_keys: bool,
    /// Everybody sees their own.
    pub own: Option<AgentId>,
}

impl Viewer {
    /// The key of somebody, or an empty text.
    pub(crate) fn key<'a>(&self, profile: &'a AgentProfile) -> &'a str {
        let sees = self.sees_keys || self.own == Some(profile.user.id);
        if sees { &profile.sdk_key } else { "" }
    }
}

/// Somebody who works in an app. No `Debug`: it holds a key.
#[derive(Serialize, ToSchema)]
#[schema(as = Agent)]
pub struct AgentShape<'a> {
    avatar_url: Option<&'a str>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    /// How many customers they serve now.
    current_customer_count: u32,
    /// How many they serve at most; null is as many as the app says.
    customers_max: Option<u32>,
    email: &'a str,
    /// Whether an admin took them offline.
    force_offline: bool,
    id: i64,
    /// Whether they take customers.
    is_available: bool,
    is_req_otp_reset: bool,
    is_verified: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_login: Option<String>,
    name: &'a str,
    /// The user that speaks for them in rooms.
    sdk_email: &'a str,
    /// What that user connects with; empty for who may not see it.
    sdk_key: &'a str,
    /// 1 is an admin, 2 an agent, 3 a supervisor.
    #[schema(example = 2)]
    r#type: i64,
    #[schema(example = "agent")]
    type_as_string: &'static str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
    /// The only channels they serve; all if there are none.
    user_channels: Vec<Named<'a>>,
    /// The divisions they are in.
    user_roles: Vec<Named<'a>>,
}

/// `{id, name}`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NamedThing)]
pub(super) struct Named<'a> {
    pub(super) id: i64,
    pub(super) name: &'a str,
}

/// What there is in an app that agents belong to.
#[derive(Clone, Copy)]
pub struct Workplace<'a> {
    /// Where customers write from.
    pub channels: &'a [Channel],
    /// The divisions, and who is in which.
    pub divisions: &'a Divisions,
}

/// The agent object (wire facts 5.4).
pub fn agent<'a>(it: &'a Candidate, place: Workplace<'a>, viewer: Viewer) -> AgentShape<'a> {
    let (profile, user) = (&it.profile, &it.profile.user);
    let channel = |id: &ChannelId| place.channels.iter().find(|channel| channel.id == *id);
    let division = |it: &'a Division| Named { id: it.id.0, name: &it.name };
    let named = |channel: &'a Channel| Named { id: channel.id.0, name: &channel.name };
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

/// `{agent}`
#[derive(Serialize, ToSchema)]
pub struct AgentBox<'a> {
    /// Who.
    pub agent: AgentShape<'a>,
    /// What signs them in once, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in_link: Option<SignInLink>,
}

/// An agent as `get_by_ids` gives it.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentWithToken)]
pub struct AgentWithToken<'a> {
    #[serde(flatten)]
    agent: AgentShape<'a>,
    /// Always null: tokens are kept as hashes only.
    #[schema(value_type = Option<String>)]
    authentication_token: (),
}

/// Those with these ids, in their order.
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

/// `{agents}`: a page as frameworks make them.
#[derive(Serialize, ToSchema)]
pub struct AgentPageBox<'a> {
    agents: AgentPage<'a>,
}

/// A page as frameworks make them.
#[derive(Serialize, ToSchema)]
struct AgentPage<'a> {
    current_page: usize,
    data: Vec<AgentShape<'a>>,
    /// The number of the first on this page; null if there is none.
    from: Option<usize>,
    last_page: usize,
    per_page: usize,
    /// The number of the last on this page; null if there is none.
    to: Option<usize>,
    total: usize,
}

/// `GET /api/v1/admin/agents`
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

/// `{data: {agents, meta}, meta, status}`: clients disagree where they look for `meta`.
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

/// How many there are.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(super) struct AgentListMeta {
    current_page: usize,
    per_page: usize,
    total_count: usize,
    total_page: usize,
}

/// The same under the names that clients of divisions read as well.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(super) struct DivisionListMeta {
    #[serde(flatten)]
    list: AgentListMeta,
    limit: usize,
    page: usize,
    total: usize,
}

/// `GET /api/v2/admin/agents`
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
