//! Webhook deliveries: list, load and replay.
//!
//! - `GET /deliveries`, `GET /deliveries/{id}`
//! - `POST /deliveries/{id}/replay`, `POST /replay`

use axum::extract::{Path, State};
use confab_app::actions;
use confab_app::delivery::finding::find;
use confab_app::services::Services;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::DeliveryId;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivering::ReplayDeliveries;
use confab_store::ListEnd;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{
    DeliveriesFields, DeliveryBox, DeliveryDetailBox, DeliveryList, ListDeliveries, Replay,
    ReplayFields, ReplayResult, delivery_detail, delivery_list, one_delivery,
};

use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::WebhookCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/deliveries",
    operation_id = "list_webhook_deliveries",
    tag = "Webhooks",
    summary = "List deliveries, newest first",
    params(DeliveriesFields),
    responses((status = 200, description = "Done", body = Data<DeliveryList>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: WebhookCaller,
    query: RequestQuery,
) -> Answer {
    let ListDeliveries { wanted, before, size } = ListDeliveries::read(&query.fields()?)?;
    let (store, app) = (services.store(), caller.app.id);
    let found = find(store, app, &wanted, (ListEnd::Newest, before), size);
    let found = store.search(found).await?;
    let endpoints = store.endpoints(app).await?;
    data(delivery_list(&found.deliveries, found.next, &endpoints))
}

#[utoipa::path(
    get,
    path = "/deliveries/{id}",
    operation_id = "get_webhook_delivery",
    tag = "Webhooks",
    summary = "Get a delivery with its body and all attempts",
    params(("id" = i64, Path, description = "Delivery id")),
    responses((status = 200, description = "Done", body = Data<DeliveryDetailBox<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: WebhookCaller,
    Path(id): Path<String>,
) -> Answer {
    let (store, app) = (services.store(), caller.app.id);
    let found = store.delivery(app, delivery_of(&id)?).await?;
    let found = found.ok_or_else(|| unknown_delivery(&id))?;
    data(delivery_detail(&found, &store.endpoints(app).await?))
}

#[utoipa::path(
    post,
    path = "/deliveries/{id}/replay",
    operation_id = "replay_webhook_delivery",
    tag = "Webhooks",
    summary = "Send a delivery again, or immediately if it is waiting",
    params(("id" = i64, Path, description = "Delivery id")),
    responses((status = 200, description = "Done", body = Data<DeliveryBox>)),
)]
pub(crate) async fn replay(
    State(services): State<Services>,
    caller: WebhookCaller,
    Path(id): Path<String>,
) -> Answer {
    let (store, app) = (services.store(), &caller.app);
    let delivery = delivery_of(&id)?;
    let unknown = || unknown_delivery(&id);
    let (found, _, _) = store.delivery(app.id, delivery).await?.ok_or_else(unknown)?;
    let deliveries = vec![(found.id, found.lane)];
    services.decide(app, ReplayDeliveries { deliveries }.on_right(caller.by)).await?;
    let now = store.delivery(app.id, delivery).await?.ok_or_else(unknown)?;
    data(one_delivery(&now, &store.endpoints(app.id).await?))
}

#[utoipa::path(
    post,
    path = "/replay",
    operation_id = "replay_webhook_deliveries",
    tag = "Webhooks",
    summary = "Send deliveries again, oldest first; repeat the call until `next` is null",
    request_body = ReplayFields,
    responses((status = 200, description = "Done", body = Data<ReplayResult>)),
)]
pub(crate) async fn replay_many(
    State(services): State<Services>,
    caller: WebhookCaller,
    body: RequestBody,
) -> Answer {
    let Replay { wanted, after } = Replay::read(&body.fields()?)?;
    let WebhookCaller { app, by, .. } = &caller;
    let (replayed, next) = actions::replay_many(&services, app, by, &wanted, after).await?;
    data(ReplayResult { replayed, next: next.map(|next| next.to_string()) })
}

/// Parses the delivery id in a path.
fn delivery_of(text: &str) -> Result<DeliveryId, Refusal> {
    let id = text.parse().ok().filter(|id: &i64| id.to_string() == text);
    id.map(DeliveryId).ok_or_else(|| unknown_delivery(text))
}

fn unknown_delivery(text: &str) -> Refusal {
    Refusal::DeliveryNotFound(text.to_owned())
}
