//! `POST /api/v1/admin/service/assign_agent`

use axum::extract::State;
use confab_wire::omnichannel_api::service::requests::{AssignAgent, AssignAgentFields};
use confab_wire::omnichannel_api::service::sessions::AddedAgent;
use confab_wire::webhook_api::Data;

use super::super::{OFFICE, added};
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::Answer;
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/assign_agent",
    operation_id = "admin_assign_agent",
    tag = "Service",
    summary = "Assign an agent to a customer",
    request_body = AssignAgentFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AddedAgent<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let asked = AssignAgent::read(body.fields())?;
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    actions::assign_agent(&services, &desk, asked).await?;
    added(&services, &caller.app, caller.worker.as_ref(), (asked.room, asked.agent)).await
}
