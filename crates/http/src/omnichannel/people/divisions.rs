//! Divisions and their agents (wire facts 5.4, 5.7).
//!
//! - `GET` and `POST /api/v2/divisions`, `GET /api/v2/divisions/{id}`
//! - `POST /api/v2/divisions/{id}/update`, `/set_default` and `/delete`
//! - `GET /api/v2/admin/agents/by_division`

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_app::services::Services;
use confab_domain::agents::dividing::{PutDivision, RemoveDivision, SetDefaultDivision};
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::DivisionId;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::divisions::{
    ByDivision, ByDivisionFields, DivisionAgents, DivisionList, DivisionShape, DivisionsFields,
    PutDivisionFields, by_division, division, divisions, read_division,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::omnichannel::OFFICE;
use crate::omnichannel::people::agents::Staff;
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};
use crate::responses::json::json;

#[utoipa::path(
    get,
    path = "/api/v2/admin/agents/by_division",
    operation_id = "list_agents_by_division",
    tag = "People",
    summary = "List agents by division",
    params(ByDivisionFields),
    responses((status = 200, description = "Done", body = DivisionAgents<'static>)),
)]
pub(crate) async fn list_agents(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let wanted = ByDivision::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    let list = by_division(&staff.all, &wanted, staff.place.shown(), staff.viewer);
    Ok(json(StatusCode::OK, &list))
}

#[utoipa::path(
    get,
    path = "/api/v2/divisions",
    operation_id = "list_divisions",
    tag = "People",
    summary = "List divisions, oldest first",
    params(DivisionsFields),
    responses((status = 200, description = "Done", body = DivisionList<'static>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let all = services.store().divisions(caller.app.id).await?;
    Ok(json(StatusCode::OK, &divisions(&all, caller.app.id, &query.fields()?)?))
}

#[utoipa::path(
    post,
    path = "/api/v2/divisions",
    operation_id = "create_division",
    tag = "People",
    summary = "Create a division",
    request_body = PutDivisionFields,
    responses((status = 200, description = "Done", body = Data<DivisionShape<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let rule = PutDivision { division: None, name: read_division(body.fields())? };
    data(division(&services.decide(&caller.app, rule.on_right(by)).await?, caller.app.id))
}

#[utoipa::path(
    get,
    path = "/api/v2/divisions/{id}",
    operation_id = "get_division",
    tag = "People",
    summary = "Get a division",
    params(("id" = i64, Path, description = "Division id")),
    responses((status = 200, description = "Done", body = Data<DivisionShape<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let id = division_of_path(&id)?;
    let all = services.store().divisions(caller.app.id).await?.all;
    let found = all.iter().find(|it| it.id == id);
    data(division(found.ok_or(Refusal::DivisionNotFound(id.0))?, caller.app.id))
}

#[utoipa::path(
    post,
    path = "/api/v2/divisions/{id}/update",
    operation_id = "update_division",
    tag = "People",
    summary = "Rename a division",
    params(("id" = i64, Path, description = "Division id")),
    request_body = PutDivisionFields,
    responses((status = 200, description = "Done", body = Data<DivisionShape<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let division_id = Some(division_of_path(&id)?);
    let rule = PutDivision { division: division_id, name: read_division(body.fields())? };
    data(division(&services.decide(&caller.app, rule.on_right(by)).await?, caller.app.id))
}

#[utoipa::path(
    post,
    path = "/api/v2/divisions/{id}/set_default",
    operation_id = "set_default_division",
    tag = "People",
    summary = "Make a division the default for new agents",
    params(("id" = i64, Path, description = "Division id")),
    responses((status = 200, description = "Done", body = Data<DivisionShape<'static>>)),
)]
pub(crate) async fn set_default(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let rule = SetDefaultDivision { division: division_of_path(&id)? };
    data(division(&services.decide(&caller.app, rule.on_right(by)).await?, caller.app.id))
}

#[utoipa::path(
    post,
    path = "/api/v2/divisions/{id}/delete",
    operation_id = "delete_division",
    tag = "People",
    summary = "Delete a division; its agents are kept",
    params(("id" = i64, Path, description = "Division id")),
    responses((status = 200, description = "Done", body = Data<DivisionShape<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let rule = RemoveDivision { division: division_of_path(&id)? };
    data(division(&services.decide(&caller.app, rule.on_right(by)).await?, caller.app.id))
}

fn division_of_path(text: &str) -> Result<DivisionId, Refusal> {
    id_in_path(text, Refusal::DivisionNotFound).map(DivisionId)
}
