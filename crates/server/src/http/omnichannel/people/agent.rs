//! `GET /api/v2/admin/agent/{id}` (wire facts 5.4)

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::agents::AgentBox;
use confab_wire::webhook_api::Data;

use super::{agent_of, one_agent};
use crate::http::answer::Answer;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/agent/{id}",
    operation_id = "get_agent",
    tag = "People",
    summary = "Show somebody who works in the app",
    params(("id" = i64, Path, description = "Who")),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    one_agent(&services, &caller, agent_of(&id)?).await
}
