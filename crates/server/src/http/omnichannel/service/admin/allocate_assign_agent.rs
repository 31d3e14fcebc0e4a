//! `POST /api/v1/admin/service/allocate_assign_agent`

use axum::extract::State;
use confab_wire::omnichannel_api::service::agents::{ChosenBox, chosen};
use confab_wire::omnichannel_api::service::requests::{
    AllocateAssignAgentFields, read_allocate_assign,
};
use confab_wire::webhook_api::Data;

use super::super::{OFFICE, viewer};
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::{Answer, data};
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/allocate_assign_agent",
    operation_id = "admin_allocate_assign_agent",
    tag = "Service",
    summary = "Have an agent chosen and assigned",
    request_body = AllocateAssignAgentFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ChosenBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let (room, ignores_availability) = read_allocate_assign(body.fields())?;
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    let assigned = actions::allocate_as_asked(&services, &desk, room, ignores_availability).await?;
    data(chosen(&assigned, viewer(caller.worker.as_ref())))
}
