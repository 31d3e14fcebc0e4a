//! `POST /endpoints/{kind}/pause`

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
    path = "/endpoints/{kind}/pause",
    operation_id = "pause_webhook_endpoint",
    tag = "Webhooks",
    summary = "Let the webhooks of a kind wait",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<EndpointBox<'static>>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(kind): Path<String>,
) -> Answer {
    let endpoint = actions::set_paused(&services, &caller.app, kind_of(&kind)?, true).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(one_endpoint(&endpoint, &backlogs))
}
