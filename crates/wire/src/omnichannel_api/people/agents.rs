//! Those who work in an app: adding, changing and listing them (wire facts 5.4, D-0033).

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{ChannelId, DashboardUserId, ID_END};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_room::Candidate;
use confab_domain::webhooks::notice::DashboardProfile;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::configs::{needed_flag, read_within};
use super::signing_in::{read_email, read_new_password};
use crate::body::Body;
use crate::reading::{Given, Reading};
use crate::time::to_the_second;

/// `POST /api/v2/admin/create_agent`
#[derive(Deserialize, ToSchema)]
#[schema(as = CreateAgent)]
pub struct CreateAgentFields<'a> {
    /// The name for people.
    #[schema(value_type = String, required = true, max_length = 255, example = "Ana")]
    #[serde(borrow, default)]
    name: Given<'a>,
    /// The sign-in name.
    #[schema(value_type = String, required = true, example = "ana@example.com")]
    #[serde(default)]
    email: Given<'a>,
    /// The password.
    #[schema(value_type = String, required = true, min_length = 8, max_length = 255)]
    #[serde(default)]
    password: Given<'a>,
    /// `admin`, `supervisor` or `agent`; or their numbers 1, 3, 2.
    #[schema(value_type = String, required = true, example = "agent")]
    #[serde(default)]
    r#type: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
}

/// Somebody who shall work in the app. No `Debug`: it holds a password.
pub struct CreateAgent {
    /// The name for people.
    pub name: String,
    /// The sign-in name.
    pub email: EmailAddress,
    /// The password.
    pub password: NewPassword,
    /// What they may do.
    pub role: Role,
    /// A picture.
    pub avatar_url: Option<String>,
}

impl CreateAgent {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: CreateAgentFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let name = read_name(&mut reading, fields.name);
        let name = reading.needed("name", name);
        let email = read_email(&mut reading, fields.email);
        let email = reading.needed("email", email);
        let password = read_new_password(&mut reading, "password", fields.password);
        let password = reading.needed("password", password);
        let role = read_role(&mut reading, fields.r#type);
        let role = reading.needed("type", role);
        let avatar_url = read_avatar(&mut reading, fields.avatar_url);
        let (Some(name), Some(email), Some(password), Some(role)) = (name, email, password, role)
        else {
            return Err(reading.refusal());
        };
        reading.finish()?;
        let avatar_url = avatar_url.filter(|url| !url.is_empty());
        Ok(Self { name, email, password, role, avatar_url })
    }
}

/// `POST /api/v2/admin/agent/{id}/update`
#[derive(Deserialize, ToSchema)]
#[schema(as = UpdateAgent)]
pub struct UpdateAgentFields<'a> {
    /// The name for people.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(borrow, default)]
    name: Given<'a>,
    /// The sign-in name.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    email: Given<'a>,
    /// A new password, which ends all sign-ins.
    #[schema(value_type = Option<String>, min_length = 8, max_length = 255)]
    #[serde(default)]
    password: Given<'a>,
    /// `admin`, `supervisor` or `agent`; or their numbers 1, 3, 2.
    #[schema(value_type = Option<String>, example = "supervisor")]
    #[serde(default)]
    r#type: Given<'a>,
    /// A picture; an empty text takes it away.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// Customers that the agent serves at most; 0 is as many as the app says.
    #[schema(value_type = Option<u32>, maximum = 10000)]
    #[serde(default)]
    customers_max: Given<'a>,
    /// The only channels that the agent serves; all if the list is empty.
    #[schema(value_type = Option<Vec<i64>>)]
    #[serde(default)]
    channel_ids: Given<'a>,
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
}

impl UpdateAgent {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UpdateAgentFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let most = limits::AGENT_CUSTOMERS_MAX;
        let customers_max =
            read_within(&mut reading, "customers_max", fields.customers_max, 0, most);
        let update = Self {
            name: read_name(&mut reading, fields.name),
            email: read_email(&mut reading, fields.email),
            password: read_new_password(&mut reading, "password", fields.password),
            role: read_role(&mut reading, fields.r#type),
            avatar_url: read_avatar(&mut reading, fields.avatar_url),
            customers_max: customers_max.map(|max| Some(max).filter(|max| *max > 0)),
            channels: read_channels(&mut reading, fields.channel_ids),
        };
        reading.finish()?;
        Ok(update)
    }
}

fn read_name(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let name = reading.name("name", given, limits::NAME_CHARS_MAX)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

fn read_role(reading: &mut Reading, given: Given<'_>) -> Option<Role> {
    let text = reading.key("type", given).filter(|text| !text.is_empty())?;
    match Role::parse(&text) {
        Some(role) => Some(role),
        None => reading.wrong("type", "must be admin, supervisor or agent (or 1, 3, 2)"),
    }
}

fn read_avatar(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let url = reading.url("avatar_url", given)?;
    if url.chars().count() > limits::URL_CHARS_MAX {
        let problem = format!("must have at most {} characters", limits::URL_CHARS_MAX);
        return reading.wrong("avatar_url", problem);
    }
    Some(url)
}

fn read_channels(reading: &mut Reading, given: Given<'_>) -> Option<Vec<ChannelId>> {
    let texts = reading.keys("channel_ids", given)?;
    // A form has no other way to send an empty list.
    let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    if texts.len() > limits::AGENT_CHANNELS_MAX {
        let problem = format!("must have at most {} items", limits::AGENT_CHANNELS_MAX);
        return reading.wrong("channel_ids", problem);
    }
    let mut ids: Vec<_> = texts.iter().filter_map(|text| integer(text)).collect();
    if ids.len() != texts.len() {
        return reading.wrong("channel_ids", "must be a list of integers");
    }
    ids.sort_unstable();
    ids.dedup();
    Some(ids.into_iter().map(ChannelId).collect())
}

pub(super) fn integer(text: &str) -> Option<i64> {
    text.parse().ok().filter(|id| (0..ID_END).contains(id))
}

/// `POST /api/v1/agent/set_availability`
#[derive(Deserialize, ToSchema)]
#[schema(as = SetAvailability)]
pub struct AvailabilityFields<'a> {
    /// Whether the caller takes customers.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    is_available: Given<'a>,
}

/// Reads `is_available`.
pub fn read_availability(body: &Body<'_>) -> Result<bool, Refusal> {
    let fields: AvailabilityFields<'_> = body.fields()?;
    needed_flag("is_available", fields.is_available)
}

/// `POST /api/v2/admin/agent/{id}/set_force_offline`
#[derive(Deserialize, ToSchema)]
#[schema(as = SetForceOffline)]
pub struct ForceOfflineFields<'a> {
    /// Whether the agent is kept offline.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    force_offline: Given<'a>,
}

/// Reads `force_offline`.
pub fn read_force_offline(body: &Body<'_>) -> Result<bool, Refusal> {
    let fields: ForceOfflineFields<'_> = body.fields()?;
    needed_flag("force_offline", fields.force_offline)
}

/// `GET /api/v1/admin/agents/get_by_ids`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ByIdsFields<'a> {
    /// Whom to give; those who are not there are left out.
    #[param(rename = "ids[]", value_type = Vec<i64>)]
    #[serde(borrow, default)]
    ids: Given<'a>,
}

/// Reads whom to give.
pub fn read_ids(query: &Body<'_>) -> Result<Vec<DashboardUserId>, Refusal> {
    let fields: ByIdsFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let texts = reading.keys("ids", fields.ids);
    let Some(texts) = reading.needed("ids", texts) else { return Err(reading.refusal()) };
    if texts.len() > limits::CALL_USERS_MAX {
        let problem = format!("must have at most {} items", limits::CALL_USERS_MAX);
        reading.wrong::<()>("ids", problem);
    }
    let ids: Vec<_> = texts.iter().filter_map(|text| integer(text)).collect();
    if ids.len() != texts.len() {
        reading.wrong::<()>("ids", "must be a list of integers");
    }
    reading.finish()?;
    Ok(ids.into_iter().map(DashboardUserId).collect())
}

/// `GET /api/v1/admin/agents`, `GET /api/v2/admin/agents`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AgentListFields<'a> {
    /// From 1 on.
    #[param(value_type = Option<u64>, default = 1)]
    #[serde(borrow, default)]
    page: Given<'a>,
    /// From 1 on; more than 1000 gives 1000, which is everybody.
    #[param(value_type = Option<u64>, default = 20)]
    #[serde(default)]
    limit: Given<'a>,
    /// Part of the name or of the e-mail address.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    search: Given<'a>,
    /// `online`, `offline` or `all`.
    #[param(value_type = Option<String>, default = "all")]
    #[serde(default)]
    scope: Given<'a>,
    /// `admin`, `supervisor`, `agent` or `all`.
    #[param(value_type = Option<String>, default = "all")]
    #[serde(default)]
    user_type_scope: Given<'a>,
}

/// Which of those who work in an app are wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentList {
    page: WantedPage,
    search: String,
    is_available: Option<bool>,
    role: Option<Role>,
}

impl AgentList {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: AgentListFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let page = WantedPage::read(&mut reading, fields.page, fields.limit);
        let search = reading.short_text("search", fields.search, limits::NAME_CHARS_MAX);
        let list = Self {
            page,
            search: search.unwrap_or_default().trim().to_lowercase(),
            is_available: read_scope(&mut reading, fields.scope),
            role: read_role_scope(&mut reading, fields.user_type_scope),
        };
        reading.finish()?;
        Ok(list)
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
pub(super) struct WantedPage {
    number: usize,
    size: usize,
}

impl WantedPage {
    /// Public clients ask for 1000, to have everybody on one page (D-0055).
    pub(super) fn read(reading: &mut Reading, page: Given<'_>, limit: Given<'_>) -> Self {
        let number = read_within(reading, "page", page, 1, u32::MAX).unwrap_or(1) as usize;
        let size = read_within(reading, "limit", limit, 1, u32::MAX);
        let size = size.map(|size| (size as usize).min(limits::CANDIDATES_MAX));
        Self { number, size: size.unwrap_or(limits::PAGE_DEFAULT) }
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

fn read_scope(reading: &mut Reading, given: Given<'_>) -> Option<bool> {
    match reading.filled_text("scope", given)?.as_str() {
        // Some clients say by it what to search in: names and addresses are, always.
        "all" | "name" | "email" | "division" => None,
        "online" => Some(true),
        "offline" => Some(false),
        _ => reading.wrong("scope", "must be online, offline or all"),
    }
}

fn read_role_scope(reading: &mut Reading, given: Given<'_>) -> Option<Role> {
    let text = reading.filled_text("user_type_scope", given).filter(|text| text != "all")?;
    match Role::parse(&text) {
        Some(role) => Some(role),
        None => reading.wrong("user_type_scope", "must be admin, supervisor, agent or all"),
    }
}

/// Who asks, as far as keys are concerned.
#[derive(Clone, Copy)]
pub struct Viewer {
    /// Admins and the app itself see everybody's key.
    pub sees_keys: bool,
    /// Everybody sees their own.
    pub own: Option<DashboardUserId>,
}

impl Viewer {
    /// The key of somebody, or an empty text.
    pub(crate) fn key<'a>(&self, profile: &'a DashboardProfile) -> &'a str {
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
    /// Always the one of `type`.
    user_roles: Vec<Named<'a>>,
}

/// `{id, name}`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NamedThing)]
pub(super) struct Named<'a> {
    pub(super) id: i64,
    pub(super) name: &'a str,
}

/// The agent object (wire facts 5.4).
pub fn agent<'a>(it: &'a Candidate, channels: &'a [Channel], viewer: Viewer) -> AgentShape<'a> {
    let (profile, user) = (&it.profile, &it.profile.user);
    let channel = |id: &ChannelId| channels.iter().find(|channel| channel.id == *id);
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
        user_roles: vec![Named { id: user.role.number(), name: user.role.as_str() }],
    }
}

/// `{agent}`
#[derive(Serialize, ToSchema)]
pub struct AgentBox<'a> {
    /// Who.
    pub agent: AgentShape<'a>,
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
    ids: &[DashboardUserId],
    channels: &'a [Channel],
    viewer: Viewer,
) -> Vec<AgentWithToken<'a>> {
    let found = ids.iter().filter_map(|id| all.iter().find(|it| it.profile.user.id == *id));
    let with_token =
        |it| AgentWithToken { agent: agent(it, channels, viewer), authentication_token: () };
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
    wanted: &AgentList,
    channels: &'a [Channel],
    viewer: Viewer,
) -> AgentPageBox<'a> {
    let (page, total) = wanted.page_of(all);
    let WantedPage { number, size } = wanted.page;
    let before = wanted.page.before();
    let from = (!page.is_empty()).then_some(before + 1);
    let agents = AgentPage {
        current_page: number,
        from,
        last_page: total.div_ceil(size).max(1),
        per_page: size,
        to: from.map(|_| before + page.len()),
        total,
        data: page.into_iter().map(|it| agent(it, channels, viewer)).collect(),
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

/// `GET /api/v2/admin/agents`
pub fn agent_list<'a>(
    all: &'a [Candidate],
    wanted: &AgentList,
    channels: &'a [Channel],
    viewer: Viewer,
) -> AgentListShape<'a> {
    let (page, total_count) = wanted.page_of(all);
    let meta = wanted.page.meta(total_count);
    let agents = page.into_iter().map(|it| agent(it, channels, viewer)).collect();
    AgentListShape { data: AgentListData { agents, meta }, meta, status: 200 }
}
