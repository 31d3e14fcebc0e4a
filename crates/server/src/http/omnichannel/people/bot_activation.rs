//! `POST /api/v1/app/bot/activation` (wire facts 5.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_wire::omnichannel_api::people::apps::AppShape;
use confab_wire::omnichannel_api::people::configs::{ActivationFields, read_activation};
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
    path = "/api/v1/app/bot/activation",
    operation_id = "activate_bot",
    tag = "Configuration",
    summary = "Switch the bot on or off",
    request_body = ActivationFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AppShape<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let is_active = read_activation(body.fields())?;
    actions::switch_hook(&services, &caller.app, by, NoticeKind::Bot, is_active).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}
