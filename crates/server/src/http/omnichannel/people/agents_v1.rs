//! `GET /api/v1/admin/agents` (wire facts 5.4)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::agents::{
    AgentList, AgentListFields, AgentPageBox, agent_page,
};
use confab_wire::webhook_api::Data;

use super::Staff;
use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v1/admin/agents",
    operation_id = "list_agents_v1",
    tag = "People",
    summary = "List who works in the app, as a page",
    params(AgentListFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<AgentPageBox<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    let wanted = AgentList::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    data(agent_page(&staff.all, &wanted, &staff.channels, staff.viewer))
}
