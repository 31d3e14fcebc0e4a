//! `POST /api/v1/agent/service/assign_agent`, and the same as
//! `POST /api/v2/agent/service/add_agent`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::service::requests::{AssignAgent, AssignAgentFields};
use confab_wire::omnichannel_api::service::sessions::AddedAgent;
use confab_wire::webhook_api::Data;

use super::super::added;
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::Answer;
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/agent/service/assign_agent",
    operation_id = "agent_assign_agent",
    tag = "Service",
    summary = "Assign a colleague or oneself to a customer one serves or may take",
    request_body = AssignAgentFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<AddedAgent<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    services: State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
    body: OmniBody,
) -> Answer {
    assign(services, caller, depth, body).await
}

#[utoipa::path(
    post,
    path = "/api/v2/agent/service/add_agent",
    operation_id = "agent_add_agent",
    tag = "Service",
    summary = "The same under another path",
    request_body = AssignAgentFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<AddedAgent<'static>>), OmniFailures),
)]
pub(crate) async fn add(
    services: State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
    body: OmniBody,
) -> Answer {
    assign(services, caller, depth, body).await
}

async fn assign(
    State(services): State<Services>,
    caller: AgentCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let mut asked = AssignAgent::read(body.fields())?;
    asked.wish.asked_by = Some(caller.worker.profile.user.id);
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    actions::assign_agent(&services, &desk, asked).await?;
    added(&services, &caller.app, Some(&caller.worker), (asked.room, asked.agent)).await
}
