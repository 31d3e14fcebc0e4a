//! Webhook deliveries: list, load and replay.

use axum::extract::Path;
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_delivery::finding::find;
use confab_domain::ids::DeliveryId;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivering::ReplayDeliveries;
use confab_store::{ListEnd, Store};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{
    DeliveriesFields, DeliveryBox, DeliveryDetailBox, DeliveryList, ListDeliveries, Replay,
    ReplayFields, ReplayResult, delivery_detail, delivery_list, one_delivery,
};

use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::WebhookCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Webhooks";
    /// List deliveries, newest first
    GET "/deliveries" list_webhook_deliveries = list [403];
    /// Get a delivery with its body and all attempts
    GET "/deliveries/{id}" get_webhook_delivery = load [403 404];
    /// Send a delivery again, or immediately if it is waiting
    POST "/deliveries/{id}/replay" replay_webhook_delivery = replay [403 404];
    /// Send deliveries again, oldest first; repeat the call until `next` is null
    POST "/replay" replay_webhook_deliveries = replay_many [403 404];
}

async fn list(
    Part(store): Part<Store>,
    caller: WebhookCaller,
    query: RequestQuery<DeliveriesFields>,
) -> Answer<Data<DeliveryList>> {
    let ListDeliveries { wanted, before, size } = ListDeliveries::read(&query.fields()?)?;
    let app = caller.app.id;
    let found = find(&store, app, &wanted, (ListEnd::Newest, before), size);
    let found = store.search(found).await?;
    let endpoints = store.endpoints(app).await?;
    data(delivery_list(&found.deliveries, found.next, &endpoints))
}

async fn load(
    Part(store): Part<Store>,
    caller: WebhookCaller,
    Path(id): Path<String>,
) -> Answer<Data<DeliveryDetailBox<'static>>> {
    let app = caller.app.id;
    let found = store.delivery(app, delivery_of(&id)?).await?;
    let found = found.ok_or_else(|| unknown_delivery(&id))?;
    data(delivery_detail(&found, &store.endpoints(app).await?))
}

async fn replay(
    Part(decisions): Part<Decisions>,
    caller: WebhookCaller,
    Path(id): Path<String>,
) -> Answer<Data<DeliveryBox>> {
    let (store, app) = (decisions.store(), &caller.app);
    let delivery = delivery_of(&id)?;
    let unknown = || unknown_delivery(&id);
    let (found, _, _) = store.delivery(app.id, delivery).await?.ok_or_else(unknown)?;
    let deliveries = vec![(found.id, found.lane)];
    decisions.decide(&caller, ReplayDeliveries { deliveries }).await?;
    let now = store.delivery(app.id, delivery).await?.ok_or_else(unknown)?;
    data(one_delivery(&now, &store.endpoints(app.id).await?))
}

async fn replay_many(
    Part(decisions): Part<Decisions>,
    caller: WebhookCaller,
    body: RequestBody<ReplayFields>,
) -> Answer<Data<ReplayResult>> {
    let Replay { wanted, after } = Replay::read(&body.fields()?)?;
    let (replayed, next) = actions::replay_many(&decisions, &caller, &wanted, after).await?;
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
