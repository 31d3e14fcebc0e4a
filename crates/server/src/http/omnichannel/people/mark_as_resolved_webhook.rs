//! `POST /api/v1/app/webhook/mark_as_resolved` (spec 4.2)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_wire::omnichannel_api::people::apps::AppShape;
use confab_wire::omnichannel_api::people::configs::{WebhookFields, read_webhook};
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
    path = "/api/v1/app/webhook/mark_as_resolved",
    operation_id = "register_mark_as_resolved_webhook",
    tag = "Configuration",
    summary = "Register where the app is told of resolved conversations",
    request_body = WebhookFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AppShape<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wish = read_webhook(body.fields(), NoticeKind::Resolved)?;
    vet(&services, &wish)?;
    actions::register_hook(&services, &caller.app, by, wish).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}
