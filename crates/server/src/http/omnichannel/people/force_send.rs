//! `POST /api/v2/app/bot/force_send` (wire facts 5.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::service::settings::Settings;
use confab_wire::omnichannel_api::people::configs::{
    BotShape, ForceSendFields, bot, read_force_send,
};
use confab_wire::webhook_api::Data;

use super::AppSettings;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/app/bot/force_send",
    operation_id = "force_send_bot",
    tag = "Configuration",
    summary = "Say whether the bot hears of every message, also while an agent serves",
    request_body = ForceSendFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<BotShape<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let is_on = read_force_send(body.fields())?;
    actions::set_switch(&services, &caller.app, by, Settings::FORCES_BOT, is_on).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(bot(set.shown(&caller.app, false)))
}
