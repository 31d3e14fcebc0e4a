//! `POST /api/v1/admin/service/remove_agent`

use axum::extract::State;
use confab_wire::omnichannel_api::service::requests::{AssignAgent, AssignAgentFields};
use confab_wire::omnichannel_api::service::sessions::{ServiceBox, service};
use confab_wire::webhook_api::Data;

use super::super::OFFICE;
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::{Answer, data};
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/remove_agent",
    operation_id = "admin_remove_agent",
    tag = "Service",
    summary = "Take an agent out of a room",
    request_body = AssignAgentFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ServiceBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let AssignAgent { room, agent, .. } = AssignAgent::read(body.fields())?;
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    actions::remove_agent(&services, &desk, room, agent).await?;
    let found = services.store().customer_room(caller.app.id, room).await?;
    data(service(found.as_ref().and_then(|it| it.customer_room.session.as_ref())))
}
