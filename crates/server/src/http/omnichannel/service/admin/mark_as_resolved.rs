//! `POST /api/v1/admin/service/mark_as_resolved`

use axum::extract::State;
use confab_wire::omnichannel_api::service::requests::{
    MarkAsResolvedFields, read_mark_as_resolved,
};
use confab_wire::omnichannel_api::service::sessions::ResolvedService;
use confab_wire::webhook_api::Data;

use super::super::{OFFICE, actor, resolved};
use crate::actions::desk::OwnedDesk;
use crate::http::answer::Answer;
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/mark_as_resolved",
    operation_id = "admin_mark_as_resolved",
    tag = "Service",
    summary = "Bring a conversation to its end",
    request_body = MarkAsResolvedFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ResolvedService<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let by = actor(&services, &caller.app, caller.worker).await?;
    resolved(&services, &OwnedDesk::new(&services, &caller.app, depth), room, by, ending).await
}
