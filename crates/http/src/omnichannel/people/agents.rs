//! Agents of an app (wire facts 5.4).

use axum::extract::{Path, State};
use confab_app::actions::{self, AgentInput};
use confab_app::decide::Decisions;
use confab_app::process::start::sign_in_link;
use confab_app::services::Services;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::Candidate;
use confab_runtime::ids;
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::people::agents::{
    AgentBox, AgentListFields, AgentListQuery, AgentListShape, AgentPageBox, AgentWithToken,
    ByIdsFields, CreateAgent, CreateAgentFields, UpdateAgent, UpdateAgentFields, Viewer,
    agent as shown_agent, agent_list, agent_page, by_ids, read_ids,
};
use confab_wire::omnichannel_api::people::divisions::{AgentChannels, agent_channels};
use confab_wire::omnichannel_api::people::sign_ins::SignInLink;
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::{Place, viewer};
use crate::requests::access::{Access, Admins, Office};
use crate::requests::bodies::{OmnichannelBody, RequestQuery, WebhookDepth};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Bare, List, bare, data};

calls! {
    "People";
    /// Add an agent
    POST "/api/v2/admin/create_agent" create_agent = create [403 404 409];
    /// Change an agent
    POST "/api/v2/admin/agent/{id}/update" update_agent = change [403 404 409];
    /// Delete an agent
    POST "/api/v1/admin/agent/{id}/delete" delete_agent = delete [403 404 409];
    /// Get an agent
    GET "/api/v2/admin/agent/{id}" get_agent = load [403 404];
    /// List the channels whose customers can be assigned to an agent
    GET "/api/v2/admin/agent/{id}/channels" get_agent_channels = list_channels [403 404];
    /// List agents, with pagination in the style of web frameworks
    GET "/api/v1/admin/agents" list_agents_v1 = list_v1 [403 404];
    /// List agents
    GET "/api/v2/admin/agents" list_agents = list [403 404];
    /// Get agents by id
    GET "/api/v1/admin/agents/get_by_ids" get_agents_by_ids = list_by_ids [403 404];
}

async fn create(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<CreateAgentFields>,
) -> Answer<Data<AgentBox<'static>>> {
    let new = CreateAgent::read(body.fields())?;
    let CreateAgent { name, email, password, wants_link, role, avatar_url, divisions, channels } =
        new;
    let code = wants_link.then(ids::secret);
    let code_hash = code.as_deref().map(ids::token_hash);
    let wanted =
        AgentInput { email, name, role, avatar_url, divisions, channels, password, code_hash };
    let made = actions::create_agent(&services, &caller, wanted).await?;
    let until = made.profile.user.created_at.days_later(limits::SIGN_IN_CODE_DAYS);
    let link = |code: String| sign_in_link(&services.config().public_url, &code);
    let link = code.map(|code| SignInLink::new(link(code), until));
    one_agent_with(&services, &caller, made.profile.user.id, link).await
}

async fn change(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<UpdateAgentFields>,
) -> Answer<Data<AgentBox<'static>>> {
    let user = agent_of(&id)?;
    let wanted = UpdateAgent::read(body.fields())?;
    let change = AgentEdit {
        email: wanted.email,
        name: wanted.name,
        role: wanted.role,
        avatar_url: wanted.avatar_url,
        serves_max: wanted.customers_max,
        channels: wanted.channels,
        divisions: wanted.divisions,
        ..AgentEdit::default()
    };
    actions::update_agent(&services, &caller, user, change, wanted.password).await?;
    one_agent(&services, &caller, user).await
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer<Data<Done>> {
    let user = agent_of(&id)?;
    actions::delete_agent(&decisions, &caller, user, depth.0).await?;
    data(Done { message: "The account is deleted." })
}

async fn load(
    State(services): State<Services>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<AgentBox<'static>>> {
    one_agent(&services, &caller, agent_of(&id)?).await
}

async fn list_channels(
    Part(store): Part<Store>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<AgentChannels<'static>>> {
    let (app, user) = (caller.app.id, agent_of(&id)?);
    let found = store.agent(app, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    data(agent_channels(&found, &store.channels(app).await?))
}

async fn list_v1(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery<AgentListFields>,
) -> Answer<Data<AgentPageBox<'static>>> {
    let wanted = AgentListQuery::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    data(agent_page(&staff.all, &wanted, staff.place.shown(), staff.viewer))
}

async fn list(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery<AgentListFields>,
) -> Answer<Bare<AgentListShape<'static>>> {
    let wanted = AgentListQuery::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    let list = agent_list(&staff.all, &wanted, staff.place.shown(), staff.viewer);
    bare(list)
}

async fn list_by_ids(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery<ByIdsFields>,
) -> Answer<Data<List<AgentWithToken<'static>>>> {
    let ids = read_ids(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    data(by_ids(&staff.all, &ids, staff.place.shown(), staff.viewer))
}

/// Parses the agent id in a path.
pub(crate) fn agent_of(text: &str) -> Result<AgentId, Refusal> {
    let id = text.parse().ok().filter(|id: &i64| id.to_string() == text);
    // Text that is not an integer matches no agent.
    id.map(AgentId).ok_or(Refusal::AgentNotFound(0))
}

/// Answers with the profile of an agent of the caller's app.
pub(crate) async fn one_agent(
    services: &Services,
    caller: &By<impl Access>,
    user: AgentId,
) -> Answer<Data<AgentBox<'static>>> {
    one_agent_with(services, caller, user, None).await
}

async fn one_agent_with(
    services: &Services,
    caller: &By<impl Access>,
    user: AgentId,
    sign_in_link: Option<SignInLink>,
) -> Answer<Data<AgentBox<'static>>> {
    let found = services.store().agent(caller.app.id, user).await?;
    let found = found.ok_or(Refusal::AgentNotFound(user.0))?;
    let place = Place::load(services.store(), caller.app.id).await?;
    let viewer = viewer(caller.agent.as_ref());
    data(AgentBox { agent: shown_agent(&found, place.shown(), viewer), sign_in_link })
}

/// All agents of an app, with the data that is needed to render them for the caller.
pub(crate) struct Staff {
    pub(crate) all: Vec<Candidate>,
    pub(crate) place: Place,
    pub(crate) viewer: Viewer,
}

impl Staff {
    pub(crate) async fn load(
        services: &Services,
        caller: &By<impl Access>,
    ) -> Result<Self, StoreError> {
        let all = services.store().agents(caller.app.id).await?;
        let place = Place::load(services.store(), caller.app.id).await?;
        Ok(Self { all, place, viewer: viewer(caller.agent.as_ref()) })
    }
}
