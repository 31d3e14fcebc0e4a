//! `POST /update_room` (wire facts 3.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{ChangedRoom, UpdateRoomFields, changed_room, read_update};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/update_room",
    operation_id = "update_room",
    tag = "Rooms",
    summary = "Change a group room",
    request_body = UpdateRoomFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<ChangedRoom<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (room, edit) = read_update(&body.fields()?)?;
    let (changed, room) = actions::update_room(&services, &caller.app, room, edit).await?;
    ok(changed_room(changed, &room))
}
