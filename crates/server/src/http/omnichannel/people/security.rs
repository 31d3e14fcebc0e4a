//! `POST /api/v2/app/config/security` (D-0070, D-0071)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::configs::{
    Configs, SecurityFields, read_security, security_configs,
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
    path = "/api/v2/app/config/security",
    operation_id = "set_security",
    tag = "Configuration",
    summary = "Say what visitors of the widget must show, and what strangers may do",
    request_body = SecurityFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Configs>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wanted = read_security(body.fields())?;
    data(security_configs(&actions::set_settings(&services, &caller.app, by, wanted).await?))
}
