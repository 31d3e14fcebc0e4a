//! `GET /api/v2/admin/webhook_config` (wire facts 5.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::configs::{WebhookConfigs, webhook_configs};
use confab_wire::webhook_api::Data;

use super::AppSettings;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/webhook_config",
    operation_id = "get_webhook_config",
    tag = "Configuration",
    summary = "List the registered webhooks",
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<WebhookConfigs<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: OmniCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(webhook_configs(set.shown(&caller.app, false)))
}
