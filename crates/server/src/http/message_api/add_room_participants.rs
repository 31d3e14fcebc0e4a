//! `POST /add_room_participants` (wire facts 3.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{
    ParticipantsAdded, RoomAndUsersFields, participants_added, read_room_and_users,
};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/add_room_participants",
    operation_id = "add_room_participants",
    tag = "Rooms",
    summary = "Bring users into a room",
    request_body = RoomAndUsersFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses(
        (status = 200, description = "Done", body = Results<ParticipantsAdded<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let changed = actions::add_participants(&services, &caller.app, room, users).await?;
    ok(participants_added(&changed))
}
