//! `POST /api/v1/app/bot/integrate` (wire facts 5.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::apps::AppBox;
use confab_wire::omnichannel_api::people::configs::{BotFields, read_bot};
use confab_wire::webhook_api::Data;

use super::{AppSettings, vet};
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/app/bot/integrate",
    operation_id = "integrate_bot",
    tag = "Configuration",
    summary = "Register where the bot is told of messages",
    request_body = BotFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AppBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wish = read_bot(body.fields())?;
    vet(&services, &wish)?;
    actions::register_hook(&services, &caller.app, by, wish).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(AppBox { app: set.shown(&caller.app, true).shape() })
}
