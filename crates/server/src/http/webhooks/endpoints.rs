//! `GET /endpoints`

use axum::extract::State;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::endpoints::{EndpointList, endpoint_list};

use crate::http::answer::{Answer, data};
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/endpoints",
    operation_id = "list_webhook_endpoints",
    tag = "Webhooks",
    summary = "List where the app is told, and how that goes",
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<EndpointList<'static>>), KeyFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: KeyCaller) -> Answer {
    let endpoints = services.store().endpoints(caller.app.id).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(endpoint_list(&endpoints, &backlogs))
}
