//! Tests of webhooks with example bodies.

use axum::extract::{Path, State};
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::trying::TriggerExample;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{AttemptBox, one_attempt};
use confab_wire::webhook_api::triggering::{Trigger, TriggerFields, TriggeredExample, triggered};

use super::endpoints::endpoint_of;
use crate::calls::calls;
use crate::requests::bodies::{RequestBody, WebhookDepth};
use crate::requests::callers::WebhookCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Webhooks";
    /// Send an example to an endpoint once, and get the result of the attempt
    POST "/endpoints/{kind}/test" test_webhook_endpoint = test [403 404];
    /// Create an example webhook and deliver it like a real one
    POST "/trigger" trigger_webhook = trigger [403 404];
}

async fn test(
    State(services): State<Services>,
    caller: WebhookCaller,
    depth: WebhookDepth,
    Path(kind): Path<String>,
) -> Answer<Data<AttemptBox<'static>>> {
    let which = endpoint_of(services.store(), caller.app.id, &kind).await?;
    let attempt = actions::try_endpoint(&services, &caller, which, depth.0).await?;
    data(one_attempt(&attempt))
}

async fn trigger(
    Part(decisions): Part<Decisions>,
    caller: WebhookCaller,
    depth: WebhookDepth,
    body: RequestBody<TriggerFields>,
) -> Answer<Data<TriggeredExample>> {
    let Trigger { kind, room, body } = Trigger::read(&body.fields()?)?;
    let room = match room {
        None => None,
        Some(room) => {
            let found = decisions.store().room(caller.app.id, &room).await?;
            Some(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?.id)
        }
    };
    let rule = TriggerExample { kind, room, body };
    let made = actions::trigger(&decisions, &caller, rule, depth.0).await?;
    data(triggered(&made.deliveries, made.listeners))
}
