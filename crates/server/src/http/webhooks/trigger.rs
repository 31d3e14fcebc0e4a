//! `POST /trigger`

use axum::extract::State;
use confab_domain::refusal::Refusal;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::triggering::{Trigger, TriggerFields, Triggered, triggered};

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::{RequestBody, WebhookDepth};
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/trigger",
    operation_id = "trigger_webhook",
    tag = "Webhooks",
    summary = "Make an example webhook and have it delivered like a real one",
    request_body = TriggerFields,
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Triggered>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    depth: WebhookDepth,
    body: RequestBody,
) -> Answer {
    let Trigger { kind, room } = Trigger::read(&body.fields()?)?;
    let room = match room {
        None => None,
        Some(room) => {
            let found = services.store().room(caller.app.id, &room).await?;
            Some(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?.id)
        }
    };
    let made = actions::trigger(&services, &caller.app, kind, room, depth.0).await?;
    data(triggered(&made.deliveries, made.listeners))
}
