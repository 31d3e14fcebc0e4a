//! `POST /api/v2/admin/agent/{id}/update` (wire facts 5.4)

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::AgentEdit;
use confab_wire::omnichannel_api::people::agents::{AgentBox, UpdateAgent, UpdateAgentFields};
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
    path = "/api/v2/admin/agent/{id}/update",
    operation_id = "update_agent",
    tag = "People",
    summary = "Change somebody who works in the app",
    params(("id" = i64, Path, description = "Who")),
    request_body = UpdateAgentFields,
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
    let user = agent_of(&id)?;
    let wanted = UpdateAgent::read(body.fields())?;
    let change = AgentEdit {
        email: wanted.email,
        name: wanted.name,
        role: wanted.role,
        avatar_url: wanted.avatar_url,
        serves_max: wanted.customers_max,
        channels: wanted.channels,
        ..AgentEdit::default()
    };
    actions::update_worker(&services, &caller.app, by, user, change, wanted.password).await?;
    one_agent(&services, &caller, user).await
}
