//! `GET /api/v2/agent/service/other_agents`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::service::DataPage;
use confab_wire::omnichannel_api::service::agents::AgentList;
use confab_wire::omnichannel_api::service::requests::{AgentsFields, WantedAgents};

use super::super::agents_page;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/agent/service/other_agents",
    operation_id = "agent_other_agents",
    tag = "Service",
    summary = "List agents who do not serve the room",
    params(AgentsFields),
    security(("token" = [])),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let wanted = WantedAgents::read(&query.fields()?)?;
    let worker = Some(&caller.worker);
    agents_page(&services, &caller.app, worker, wanted, |_, is_in_room| !is_in_room).await
}
