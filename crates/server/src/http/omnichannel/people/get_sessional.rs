//! `GET /api/v1/admin/service/get_sessional` (wire facts 5.4)

use axum::extract::State;
use confab_wire::omnichannel_api::people::configs::{Sessional, sessional};
use confab_wire::webhook_api::Data;

use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v1/admin/service/get_sessional",
    operation_id = "get_sessional",
    tag = "Configuration",
    summary = "Show whether a resolved customer who writes again gets a new room",
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Sessional>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: OmniCaller) -> Answer {
    data(sessional(&services.store().settings(caller.app.id).await?))
}
