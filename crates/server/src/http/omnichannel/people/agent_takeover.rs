//! `GET /api/v1/app/config/agent_takeover` (wire facts 5.4)

use axum::extract::State;
use confab_wire::omnichannel_api::people::configs::{Takeover, takeover};
use confab_wire::webhook_api::Data;

use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v1/app/config/agent_takeover",
    operation_id = "get_agent_takeover",
    tag = "Configuration",
    summary = "Show whether agents may take customers that nobody serves",
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Takeover>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: OmniCaller) -> Answer {
    data(takeover(&services.store().settings(caller.app.id).await?))
}
