//! `GET /api/v2/agent/service/total_unserved`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::service::agents::TotalUnserved;
use confab_wire::webhook_api::Data;

use crate::http::answer::{Answer, data};
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/agent/service/total_unserved",
    operation_id = "agent_total_unserved",
    tag = "Service",
    summary = "Count the customers who wait for an agent",
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<TotalUnserved>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: AgentCaller) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let total_unserved = services.store().waiting_count(caller.app.id).await?;
    data(TotalUnserved { total_unserved })
}
