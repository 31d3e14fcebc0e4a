//! `POST /api/v1/admin/agent/{id}/delete` (wire facts 5.4)

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::webhook_api::Data;

use super::agent_of;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::WebhookDepth;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/agent/{id}/delete",
    operation_id = "delete_agent",
    tag = "People",
    summary = "Somebody does not work in the app any more",
    params(("id" = i64, Path, description = "Who")),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Done>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    depth: WebhookDepth,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let user = agent_of(&id)?;
    actions::delete_worker(&services, &caller.app, by, user, depth.0).await?;
    data(Done { message: "The account is deleted." })
}
