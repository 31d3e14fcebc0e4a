//! `GET` and `POST /api/v2/custom_buttons`

use axum::extract::State;
use confab_wire::omnichannel_api::service::buttons::{
    ButtonBox, ButtonList, PutButtonFields, button_list, one_button, read_button,
};
use confab_wire::webhook_api::Data;

use super::OFFICE;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::http::targets;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/custom_buttons",
    operation_id = "custom_buttons",
    tag = "Service",
    summary = "List custom buttons",
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ButtonList<'static>>), OmniFailures),
)]
pub(crate) async fn list(State(services): State<Services>, caller: OmniCaller) -> Answer {
    data(button_list(&services.store().buttons(caller.app.id).await?))
}

#[utoipa::path(
    post,
    path = "/api/v2/custom_buttons",
    operation_id = "create_custom_button",
    tag = "Service",
    summary = "Make a custom button",
    request_body = PutButtonFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ButtonBox<'static>>), OmniFailures),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let wanted = read_button(body.fields(), None)?;
    targets::check(&services, "webhook_url", &wanted.url)?;
    let button = actions::put_button(&services, &caller.app, by, None, wanted).await?;
    data(one_button(&button))
}
