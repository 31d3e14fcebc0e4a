//! `GET /api/v2/admin/service/other_agents`

use axum::extract::State;
use confab_wire::omnichannel_api::service::DataPage;
use confab_wire::omnichannel_api::service::agents::AgentList;
use confab_wire::omnichannel_api::service::requests::{AgentsFields, WantedAgents};

use super::super::{OFFICE, agents_page};
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/service/other_agents",
    operation_id = "admin_other_agents",
    tag = "Service",
    summary = "List agents who do not serve the room",
    params(AgentsFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = DataPage<AgentList<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let wanted = WantedAgents::read(&query.fields()?)?;
    let worker = caller.worker.as_ref();
    agents_page(&services, &caller.app, worker, wanted, |_, is_in_room| !is_in_room).await
}
