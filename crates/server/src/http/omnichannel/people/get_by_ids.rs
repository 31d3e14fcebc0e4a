//! `GET /api/v1/admin/agents/get_by_ids` (wire facts 5.4)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::agents::{AgentWithToken, ByIdsFields, by_ids, read_ids};
use confab_wire::webhook_api::Data;

use super::Staff;
use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v1/admin/agents/get_by_ids",
    operation_id = "get_agents_by_ids",
    tag = "People",
    summary = "Show those with these ids",
    params(ByIdsFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<Vec<AgentWithToken<'static>>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    let ids = read_ids(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    data(by_ids(&staff.all, &ids, &staff.channels, staff.viewer))
}
