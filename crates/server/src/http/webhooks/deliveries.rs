//! `GET /deliveries`

use axum::extract::State;
use confab_store::End;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{
    DeliveriesFields, DeliveryList, ListDeliveries, delivery_list,
};

use crate::delivery::finding::find;
use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestQuery;
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/deliveries",
    operation_id = "list_webhook_deliveries",
    tag = "Webhooks",
    summary = "List what the app was told, newest first",
    params(DeliveriesFields),
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<DeliveryList<'static>>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    query: RequestQuery,
) -> Answer {
    let ListDeliveries { wanted, before, size } = ListDeliveries::read(&query.fields()?)?;
    let (store, app) = (services.store(), caller.app.id);
    let found = find(store, app, &wanted, (End::Newest, before), size).await?;
    let endpoints = store.endpoints(app).await?;
    data(delivery_list(&found.deliveries, found.next, &endpoints))
}
