//! `DELETE /clear_room_messages` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{ClearRoomsFields, ClearedRooms, cleared, read_clear_rooms};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{RequestBody, RequestQuery};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    delete,
    path = "/clear_room_messages",
    operation_id = "client_clear_room_messages",
    tag = "Clients",
    summary = "Empty rooms for oneself",
    request_body = ClearRoomsFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<ClearedRooms<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let rooms = read_clear_rooms(&body.fields()?, &query.fields()?)?;
    let user = caller.user.itself();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let rooms = actions::clear_rooms(&services, &caller.app, user, rooms).await?;
    ok(cleared(&rooms))
}
