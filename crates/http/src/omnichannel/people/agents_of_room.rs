//! Agents who may serve the customer of a room (wire facts 5.4).
//!
//! - `GET /api/v2/admin/service/available_agents`, `GET /api/v2/agent/service/available_agents`
//! - `GET /api/v1/admin/service/available_agents`, `POST /api/v2/admin/service/available_agents`
//! - `GET /api/v2/admin/service/other_agents`, `GET /api/v2/agent/service/other_agents`

use std::sync::Arc;

use axum::extract::State;
use confab_app::queries::customer_rooms::seen_room;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate};
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::omnichannel_api::support::agents::{self, AgentList};
use confab_wire::omnichannel_api::support::requests::{AgentFilter, AgentsFields};

use crate::omnichannel::{OFFICE, Place, viewer};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::{ActingAgent, OmnichannelCaller};
use crate::responses::answer::{Answer, paged};

#[utoipa::path(
    get,
    path = "/api/v2/admin/service/available_agents",
    operation_id = "admin_available_agents",
    tag = "Service",
    summary = "List available agents",
    params(AgentsFields),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>)),
)]
pub(crate) async fn list_available(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = caller.agent.as_ref();
    agents_page(&services, &caller.app, agent, wanted, |it, _| it.takes_customers()).await
}

#[utoipa::path(
    get,
    path = "/api/v1/admin/service/available_agents",
    operation_id = "admin_available_agents_v1",
    tag = "Service",
    summary = "List available agents, under an older path",
    params(AgentsFields),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>)),
)]
pub(crate) async fn list_available_v1(
    services: State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    list_available(services, caller, query).await
}

#[utoipa::path(
    post,
    path = "/api/v2/admin/service/available_agents",
    operation_id = "admin_post_available_agents",
    tag = "Service",
    summary = "List available agents, with the fields in the body or query",
    request_body = AgentsFields,
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>)),
)]
pub(crate) async fn post_available(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
    body: OmnichannelBody,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let wanted = match query.is_empty() {
        true => AgentFilter::read(body.fields())?,
        false => AgentFilter::read(&query.fields()?)?,
    };
    let agent = caller.agent.as_ref();
    agents_page(&services, &caller.app, agent, wanted, |it, _| it.takes_customers()).await
}

#[utoipa::path(
    get,
    path = "/api/v2/admin/service/other_agents",
    operation_id = "admin_other_agents",
    tag = "Service",
    summary = "List agents who are not assigned to the room",
    params(AgentsFields),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>)),
)]
pub(crate) async fn list_others(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = caller.agent.as_ref();
    agents_page(&services, &caller.app, agent, wanted, |_, is_in_room| !is_in_room).await
}

#[utoipa::path(
    get,
    path = "/api/v2/agent/service/available_agents",
    operation_id = "agent_available_agents",
    tag = "Service",
    summary = "List available agents",
    params(AgentsFields),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>)),
)]
pub(crate) async fn list_available_as_agent(
    State(services): State<Services>,
    caller: ActingAgent,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = Some(&caller.agent);
    agents_page(&services, &caller.app, agent, wanted, |it, _| it.takes_customers()).await
}

#[utoipa::path(
    get,
    path = "/api/v2/agent/service/other_agents",
    operation_id = "agent_other_agents",
    tag = "Service",
    summary = "List agents who are not assigned to the room",
    params(AgentsFields),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>)),
)]
pub(crate) async fn list_others_as_agent(
    State(services): State<Services>,
    caller: ActingAgent,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = Some(&caller.agent);
    agents_page(&services, &caller.app, agent, wanted, |_, is_in_room| !is_in_room).await
}

/// Answers with a page of the agents who may serve the room's channel and match the filter.
async fn agents_page(
    services: &Services,
    app: &Arc<App>,
    agent: Option<&AgentRecord>,
    wanted: AgentFilter,
    is_wanted: impl Fn(&Candidate, bool) -> bool,
) -> Answer {
    let (found, serving) = seen_room(services, app, agent, wanted.room).await?;
    let channel = found.customer_room.channel;
    let agents = services.store().agents(app.id).await?;
    let fits = |it: &Candidate| {
        let is_in_room = serving.iter().any(|there| there.user.id == it.profile.user.id);
        it.profile.user.role == Role::Agent
            && it.serves_channel(channel)
            && wanted.is_in_room.is_none_or(|wanted| wanted == is_in_room)
            && is_wanted(it, is_in_room)
    };
    let matching: Vec<_> = agents.into_iter().filter(fits).collect();
    let place = Place::load(services, app.id).await?;
    paged(agents::agent_page(&matching, place.shown(), &wanted, viewer(agent)))
}
