//! `POST /api/v1/admin/service/set_sessional` (wire facts 5.4)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::service::settings::Settings;
use confab_wire::omnichannel_api::people::configs::{
    Sessional, SessionalFields, read_sessional, sessional,
};
use confab_wire::webhook_api::Data;

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/set_sessional",
    operation_id = "set_sessional",
    tag = "Configuration",
    summary = "Say whether a resolved customer who writes again gets a new room",
    request_body = SessionalFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Sessional>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let is_on = read_sessional(body.fields())?;
    let app = &caller.app;
    data(sessional(&actions::set_switch(&services, app, by, Settings::IS_SESSIONAL, is_on).await?))
}
