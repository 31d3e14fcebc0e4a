//! `POST /api/v2/custom_buttons/{id}/press`

use axum::extract::{Path, State};
use confab_wire::omnichannel_api::service::buttons::{Pressed, pressed};
use confab_wire::omnichannel_api::service::requests::{OfRoomFields, read_needed_room};
use confab_wire::webhook_api::Data;

use super::actor;
use super::custom_button::found;
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::{Answer, data};
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/custom_buttons/{id}/press",
    operation_id = "press_custom_button",
    tag = "Service",
    summary = "Press a custom button beside a customer's room",
    params(("id" = i64, Path, description = "The button")),
    request_body = OfRoomFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Pressed>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    WebhookDepth(depth): WebhookDepth,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let button = found(&services, &caller.app, &id).await?;
    let room = read_needed_room(body.fields())?;
    let by = actor(&services, &caller.app, caller.worker).await?;
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    data(pressed(actions::press_button(&services, &desk, button.id, room, by).await?))
}
