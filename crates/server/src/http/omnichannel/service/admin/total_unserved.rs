//! `GET /api/v2/admin/service/total_unserved`

use axum::extract::State;
use confab_wire::omnichannel_api::service::agents::TotalUnserved;
use confab_wire::webhook_api::Data;

use super::super::OFFICE;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/service/total_unserved",
    operation_id = "admin_total_unserved",
    tag = "Service",
    summary = "Count the customers who wait for an agent",
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<TotalUnserved>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: OmniCaller) -> Answer {
    caller.must_be(&OFFICE)?;
    let total_unserved = services.store().waiting_count(caller.app.id).await?;
    data(TotalUnserved { total_unserved })
}
