//! `POST /endpoints/{kind}/resume`

use axum::extract::{Path, State};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::endpoints::{EndpointBox, one_endpoint};

use super::kind_of;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/endpoints/{kind}/resume",
    operation_id = "resume_webhook_endpoint",
    tag = "Webhooks",
    summary = "Send the webhooks that waited, and those to come",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<EndpointBox<'static>>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(kind): Path<String>,
) -> Answer {
    let endpoint = actions::set_paused(&services, &caller.app, kind_of(&kind)?, false).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(one_endpoint(&endpoint, &backlogs))
}
