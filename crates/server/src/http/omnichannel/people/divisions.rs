//! `GET /api/v2/divisions` (wire facts 5.4, D-0064)

use axum::http::StatusCode;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::divisions::{DivisionList, DivisionsFields, divisions};

use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::http::json::json;

#[utoipa::path(
    get,
    path = "/api/v2/divisions",
    operation_id = "list_divisions",
    tag = "People",
    summary = "List the divisions, which are the roles",
    params(DivisionsFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = DivisionList), OmniFailures),
)]
pub(crate) async fn handler(caller: OmniCaller, query: RequestQuery) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    Ok(json(StatusCode::OK, &divisions(&query.fields()?)?))
}
