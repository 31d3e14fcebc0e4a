//! `GET /deliveries/{id}`

use axum::extract::{Path, State};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{DeliveryDetailBox, delivery_detail};

use super::{delivery_of, unknown_delivery};
use crate::http::answer::{Answer, data};
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/deliveries/{id}",
    operation_id = "get_webhook_delivery",
    tag = "Webhooks",
    summary = "Show a delivery with its body and all its attempts",
    params(("id" = i64, Path, description = "The delivery")),
    security(("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<DeliveryDetailBox<'static>>),
        KeyFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(id): Path<String>,
) -> Answer {
    let (store, app) = (services.store(), caller.app.id);
    let found = store.delivery(app, delivery_of(&id)?).await?;
    let found = found.ok_or_else(|| unknown_delivery(&id))?;
    data(delivery_detail(&found, &store.endpoints(app).await?))
}
