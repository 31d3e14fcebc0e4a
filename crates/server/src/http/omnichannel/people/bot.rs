//! `GET /api/v1/app/bot` (wire facts 5.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::configs::{BotShape, bot};
use confab_wire::webhook_api::Data;

use super::AppSettings;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v1/app/bot",
    operation_id = "get_bot",
    tag = "Configuration",
    summary = "Show how the bot is integrated",
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<BotShape<'static>>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: OmniCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(bot(set.shown(&caller.app, false)))
}
