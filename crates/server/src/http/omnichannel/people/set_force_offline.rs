//! `POST /api/v2/admin/agent/{id}/set_force_offline` (D-0033)

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::agents::{
    AgentBox, ForceOfflineFields, read_force_offline,
};
use confab_wire::webhook_api::Data;

use super::{agent_of, one_agent};
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/admin/agent/{id}/set_force_offline",
    operation_id = "set_force_offline",
    tag = "People",
    summary = "Take somebody offline, or let them come back",
    params(("id" = i64, Path, description = "Who")),
    request_body = ForceOfflineFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let (user, is_forced) = (agent_of(&id)?, read_force_offline(body.fields())?);
    actions::force_offline(&services, &caller.app, by, user, is_forced).await?;
    one_agent(&services, &caller, user).await
}
