//! `GET /api/v2/admin/agents` (wire facts 5.4)

use axum::extract::State;
use axum::http::StatusCode;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::agents::{
    AgentList, AgentListFields, AgentListShape, agent_list,
};

use super::Staff;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::http::json::json;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/agents",
    operation_id = "list_agents",
    tag = "People",
    summary = "List who works in the app",
    params(AgentListFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = AgentListShape<'static>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    let wanted = AgentList::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    let list = agent_list(&staff.all, &wanted, &staff.channels, staff.viewer);
    Ok(json(StatusCode::OK, &list))
}
