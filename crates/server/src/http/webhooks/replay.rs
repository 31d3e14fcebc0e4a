//! `POST /replay`

use axum::extract::State;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{Replay, ReplayFields, Replayed};

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestBody;
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/replay",
    operation_id = "replay_webhook_deliveries",
    tag = "Webhooks",
    summary = "Send deliveries again, oldest first; call until next is null",
    request_body = ReplayFields,
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Replayed>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    body: RequestBody,
) -> Answer {
    let Replay { wanted, after } = Replay::read(&body.fields()?)?;
    let (replayed, next) = actions::replay_many(&services, &caller.app, &wanted, after).await?;
    data(Replayed { replayed, next: next.map(|next| next.to_string()) })
}
