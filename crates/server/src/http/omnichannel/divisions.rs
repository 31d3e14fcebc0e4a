//! Divisions, which are the roles (wire facts 5.4, D-0064).
//!
//! - `GET /api/v2/admin/agents/by_division`
//! - `GET /api/v2/divisions`

use axum::extract::State;
use axum::http::StatusCode;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::divisions::{
    ByDivision, ByDivisionFields, DivisionAgents, DivisionList, DivisionsFields, by_division,
    divisions,
};

use super::agents::Staff;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::json::json;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/agents/by_division",
    operation_id = "list_agents_by_division",
    tag = "People",
    summary = "List who works in the app, by roles",
    params(ByDivisionFields),
    responses((status = 200, description = "Done", body = DivisionAgents<'static>)),
)]
pub(crate) async fn list_agents(
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

#[utoipa::path(
    get,
    path = "/api/v2/divisions",
    operation_id = "list_divisions",
    tag = "People",
    summary = "List the divisions, which are the roles",
    params(DivisionsFields),
    responses((status = 200, description = "Done", body = DivisionList)),
)]
pub(crate) async fn list(caller: OmniCaller, query: RequestQuery) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    Ok(json(StatusCode::OK, &divisions(&query.fields()?)?))
}
