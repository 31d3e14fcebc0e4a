//! Agents who may serve the customer of a room (wire facts 5.4).

use std::sync::Arc;

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate};
use confab_queries::customer_rooms::seen_room;
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::omnichannel_api::support::assignment::agents::{self, AgentList};
use confab_wire::omnichannel_api::support::requests::{AgentFilter, AgentsFields};

use crate::calls::calls;
use crate::omnichannel::{Place, viewer};
use crate::requests::access::{Agents, Office};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::{ActingAgent, By};
use crate::responses::answer::{Answer, paged};

calls! {
    "Service";
    /// List available agents
    GET "/api/v2/admin/service/available_agents" admin_available_agents = list_available [403 404];
    /// List available agents, under an older path
    GET "/api/v1/admin/service/available_agents"
        admin_available_agents_v1 = list_available_v1 [403 404];
    /// List available agents, with the fields in the body or query
    POST "/api/v2/admin/service/available_agents"
        admin_post_available_agents = post_available [403 404];
    /// List agents who are not assigned to the room
    GET "/api/v2/admin/service/other_agents" admin_other_agents = list_others [403 404];
    /// List available agents
    GET "/api/v2/agent/service/available_agents"
        agent_available_agents = list_available_as_agent [403 404];
    /// List agents who are not assigned to the room
    GET "/api/v2/agent/service/other_agents" agent_other_agents = list_others_as_agent [403 404];
}

async fn list_available(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery<AgentsFields>,
) -> Answer<DataPage<AgentList<'static>>> {
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = caller.agent.as_ref();
    agents_page(&services, &caller.app, agent, wanted, |it, _| it.takes_customers()).await
}

async fn list_available_v1(
    services: State<Services>,
    caller: By<Office>,
    query: RequestQuery<AgentsFields>,
) -> Answer<DataPage<AgentList<'static>>> {
    list_available(services, caller, query).await
}

async fn post_available(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery,
    body: OmnichannelBody<AgentsFields>,
) -> Answer<DataPage<AgentList<'static>>> {
    let wanted = match query.is_empty() {
        true => AgentFilter::read(body.fields())?,
        false => AgentFilter::read(&query.fields()?)?,
    };
    let agent = caller.agent.as_ref();
    agents_page(&services, &caller.app, agent, wanted, |it, _| it.takes_customers()).await
}

async fn list_others(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery<AgentsFields>,
) -> Answer<DataPage<AgentList<'static>>> {
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = caller.agent.as_ref();
    agents_page(&services, &caller.app, agent, wanted, |_, is_in_room| !is_in_room).await
}

async fn list_available_as_agent(
    State(services): State<Services>,
    caller: ActingAgent<Agents>,
    query: RequestQuery<AgentsFields>,
) -> Answer<DataPage<AgentList<'static>>> {
    let wanted = AgentFilter::read(&query.fields()?)?;
    let agent = Some(&caller.agent);
    agents_page(&services, &caller.app, agent, wanted, |it, _| it.takes_customers()).await
}

async fn list_others_as_agent(
    State(services): State<Services>,
    caller: ActingAgent<Agents>,
    query: RequestQuery<AgentsFields>,
) -> Answer<DataPage<AgentList<'static>>> {
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
) -> Answer<DataPage<AgentList<'static>>> {
    let (found, serving) = seen_room(services.store(), app, agent, wanted.room).await?;
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
    let place = Place::load(services.store(), app.id).await?;
    paged(agents::agent_page(&matching, place.shown(), &wanted, viewer(agent)))
}
