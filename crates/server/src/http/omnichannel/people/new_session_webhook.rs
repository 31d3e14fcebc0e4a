//! `POST /api/v2/app/config/new_session_webhook` (spec 4.2)

use axum::extract::State;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_wire::omnichannel_api::people::configs::{
    ConfigHookFields, Configs, new_session_configs, read_config_hook,
};
use confab_wire::webhook_api::Data;

use super::{AppSettings, vet};
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::KeyCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/app/config/new_session_webhook",
    operation_id = "register_new_session_webhook",
    tag = "Configuration",
    summary = "Register where the app is told of new sessions",
    request_body = ConfigHookFields,
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Configs>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    body: OmniBody,
) -> Answer {
    let wish = read_config_hook(body.fields(), NoticeKind::NewSession)?;
    vet(&services, &wish)?;
    actions::register_hook(&services, &caller.app, None, wish).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(new_session_configs(set.shown(&caller.app, false)))
}
