//! `POST /api/v1/agent/service/mark_as_resolved`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::service::requests::{
    MarkAsResolvedFields, read_mark_as_resolved,
};
use confab_wire::omnichannel_api::service::sessions::ResolvedService;
use confab_wire::webhook_api::Data;

use super::super::resolved;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::Answer;
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/agent/service/mark_as_resolved",
    operation_id = "agent_mark_as_resolved",
    tag = "Service",
    summary = "Bring a conversation to its end that one serves or may take",
    request_body = MarkAsResolvedFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<ResolvedService<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    resolved(&services, &desk, room, caller.worker.profile, ending).await
}
