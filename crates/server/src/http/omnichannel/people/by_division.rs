//! `GET /api/v2/admin/agents/by_division` (wire facts 5.4, D-0064)

use axum::extract::State;
use axum::http::StatusCode;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::divisions::{
    ByDivision, ByDivisionFields, DivisionAgents, by_division,
};

use super::Staff;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::http::json::json;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/agents/by_division",
    operation_id = "list_agents_by_division",
    tag = "People",
    summary = "List who works in the app, by roles",
    params(ByDivisionFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = DivisionAgents<'static>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    let wanted = ByDivision::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    let list = by_division(&staff.all, &wanted, &staff.channels, staff.viewer);
    Ok(json(StatusCode::OK, &list))
}
