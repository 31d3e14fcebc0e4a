//! `POST /api/v2/app/config/auth_webhook` (spec 4.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_wire::omnichannel_api::people::configs::{
    ConfigHookFields, Configs, auth_configs, read_config_hook,
};
use confab_wire::webhook_api::Data;

use super::{AppSettings, vet};
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/app/config/auth_webhook",
    operation_id = "register_auth_webhook",
    tag = "Configuration",
    summary = "Register where the app is told of logouts",
    request_body = ConfigHookFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<Configs>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    body: OmniBody,
) -> Answer {
    let by = Some(caller.must_be(&[Role::Admin])?);
    let wish = read_config_hook(body.fields(), NoticeKind::LoggedOut)?;
    vet(&services, &wish)?;
    actions::register_hook(&services, &caller.app, by, wish).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(auth_configs(set.shown(&caller.app, false)))
}
