//! `POST /deliveries/{id}/replay`

use axum::extract::{Path, State};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::deliveries::{DeliveryBox, one_delivery};

use super::{delivery_of, unknown_delivery};
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/deliveries/{id}/replay",
    operation_id = "replay_webhook_delivery",
    tag = "Webhooks",
    summary = "Send a delivery again, or now if it waits",
    params(("id" = i64, Path, description = "The delivery")),
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<DeliveryBox<'static>>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(id): Path<String>,
) -> Answer {
    let (store, app) = (services.store(), &caller.app);
    let delivery = delivery_of(&id)?;
    let unknown = || unknown_delivery(&id);
    let (found, _, _) = store.delivery(app.id, delivery).await?.ok_or_else(unknown)?;
    actions::replay(&services, app, vec![(found.id, found.lane)]).await?;
    let now = store.delivery(app.id, delivery).await?.ok_or_else(unknown)?;
    data(one_delivery(&now, &store.endpoints(app.id).await?))
}
