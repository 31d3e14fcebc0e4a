//! `POST /remove_room_participants` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{PeopleRemoved, RoomAndUsersFields, read_room_and_users};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/remove_room_participants",
    operation_id = "sdk_remove_room_participants",
    tag = "Clients",
    summary = "Take users out of a room of the caller, or leave it",
    request_body = RoomAndUsersFields,
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<PeopleRemoved>), ClientFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let own = caller.user.itself();
    let users = users.into_iter().map(|user| caller.user.means(user)).collect();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let left = actions::remove_as(&services, &caller.app, own, room, users).await?;
    let participants_removed = left.iter().map(|user| user.user_id.as_str().to_owned()).collect();
    ok(PeopleRemoved { participants_removed })
}
