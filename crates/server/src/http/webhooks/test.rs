//! `POST /endpoints/{kind}/test`

use axum::extract::{Path, State};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{AttemptBox, one_attempt};

use super::kind_of;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::WebhookDepth;
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/endpoints/{kind}/test",
    operation_id = "test_webhook_endpoint",
    tag = "Webhooks",
    summary = "Send an example to the endpoint now, once, and see what happens",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<AttemptBox<'static>>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    depth: WebhookDepth,
    Path(kind): Path<String>,
) -> Answer {
    let kind = kind_of(&kind)?;
    let attempt = actions::try_endpoint(&services, &caller.app, kind, depth.0).await?;
    data(one_attempt(&attempt))
}
