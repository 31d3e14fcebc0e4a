//! `GET /api/v2/customer_rooms/{room_id}`

use axum::extract::{Path, State};
use confab_wire::omnichannel_api::service::rooms::{CustomerRoomBox, one_room};
use confab_wire::webhook_api::Data;

use super::inbox::Beside;
use super::{room_in_path, seen_room};
use crate::clock;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/customer_rooms/{room_id}",
    operation_id = "customer_room",
    tag = "Service",
    summary = "Show a customer's room",
    params(("room_id" = String, Path, description = "The customer's room")),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<CustomerRoomBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(room): Path<String>,
) -> Answer {
    let (app, worker) = (&caller.app, caller.worker.as_ref());
    let (room, agents) = seen_room(&services, app, worker, room_in_path(&room)?).await?;
    let channels = services.store().channels(app.id).await?;
    let beside = Beside::read(&services, app.id, &room, agents, &channels).await?;
    data(one_room(&beside.view(&room, clock::now())))
}
