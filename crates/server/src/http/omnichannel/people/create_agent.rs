//! `POST /api/v2/admin/create_agent` (wire facts 5.4)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::agents::{AgentBox, CreateAgent, CreateAgentFields};
use confab_wire::webhook_api::Data;

use super::one_agent;
use crate::actions::{self, WantedAgent};
use crate::http::answer::Answer;
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/admin/create_agent",
    operation_id = "create_agent",
    tag = "People",
    summary = "Have somebody work in the app",
    request_body = CreateAgentFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let CreateAgent { name, email, password, role, avatar_url } = CreateAgent::read(body.fields())?;
    let wanted = WantedAgent { email, name, role, avatar_url, password };
    let made = actions::create_worker(&services, &caller.app, by, wanted).await?;
    one_agent(&services, &caller, made.profile.user.id).await
}
