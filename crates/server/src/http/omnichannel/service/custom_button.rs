//! `PUT` and `DELETE /api/v2/custom_buttons/{id}`

use axum::extract::{Path, State};
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_domain::service::buttons::Button;
use confab_wire::omnichannel_api::service::buttons::{
    ButtonBox, PutButtonFields, one_button, read_button,
};
use confab_wire::omnichannel_api::service::id_in_path;
use confab_wire::webhook_api::Data;

use super::OFFICE;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::http::problem::Problem;
use crate::http::targets;
use crate::services::Services;

/// A button that is there.
pub(super) async fn found(services: &Services, app: &App, id: &str) -> Result<Button, Problem> {
    let id = id_in_path(id, Refusal::ButtonNotFound)?;
    let buttons = services.store().buttons(app.id).await?;
    let found = buttons.into_iter().find(|button| button.id.0 == id);
    Ok(found.ok_or(Refusal::ButtonNotFound(id))?)
}

#[utoipa::path(
    put,
    path = "/api/v2/custom_buttons/{id}",
    operation_id = "update_custom_button",
    tag = "Service",
    summary = "Change a custom button",
    params(("id" = i64, Path, description = "The button")),
    request_body = PutButtonFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ButtonBox<'static>>), OmniFailures),
)]
pub(crate) async fn update(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let before = found(&services, &caller.app, &id).await?;
    let wanted = read_button(body.fields(), Some(&before))?;
    targets::check(&services, "webhook_url", &wanted.url)?;
    let button = actions::put_button(&services, &caller.app, by, Some(before.id), wanted).await?;
    data(one_button(&button))
}

#[utoipa::path(
    delete,
    path = "/api/v2/custom_buttons/{id}",
    operation_id = "delete_custom_button",
    tag = "Service",
    summary = "Remove a custom button",
    params(("id" = i64, Path, description = "The button")),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ButtonBox<'static>>), OmniFailures),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let before = found(&services, &caller.app, &id).await?;
    actions::remove_button(&services, &caller.app, by, before.id).await?;
    data(one_button(&Button { is_active: false, ..before }))
}
