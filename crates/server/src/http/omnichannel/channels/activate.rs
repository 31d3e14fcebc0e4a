//! `POST /bot/{room_id}/activate` (wire facts 5.3): a bot takes a room, or leaves it to people.

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::channels::{ActivateBot, ActivateBotFields, HandledRoom};
use confab_wire::webhook_api::Data;

use super::{room_id, room_of_path};
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/bot/{room_id}/activate",
    operation_id = "activate_bot",
    tag = "Channels",
    summary = "Let a bot answer in a room, or hand it over to people",
    params(("room_id" = String, Path, description = "The customer's room")),
    request_body = ActivateBotFields,
    security(("app_code" = [], "secret_key" = []), ("token" = [])),
    responses(
        (status = 200, description = "Done", body = Data<HandledRoom<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(room): Path<String>,
    body: OmniBody,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    let ActivateBot { is_active } = ActivateBot::read(body.fields())?;
    let (app, store) = (&caller.app, services.store());
    let room = room_id(&services, app.id, &room_of_path(&room)?).await?;
    let now = actions::hand_over(&services, app, room, is_active).await?;
    let served = store.customer_of_room(app.id, room).await?;
    let (customer, channel) = served.ok_or(Refusal::NotACustomerRoom(room.to_string()))?;
    let channel = channel.shown(&services.widget_source());
    data(HandledRoom::new(&now, &channel, &customer))
}
