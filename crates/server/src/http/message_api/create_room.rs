//! `POST /create_room` (wire facts 3.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{CreateRoomFields, RoomBox, one_room, read_create_room};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/create_room",
    operation_id = "create_room",
    tag = "Rooms",
    summary = "Open a group room",
    request_body = CreateRoomFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<RoomBox<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let wanted = read_create_room(&body.fields()?)?;
    services.quotas().count_room(caller.app.id, None)?;
    let room = actions::open_room(&services, &caller.app, wanted).await?;
    ok(one_room(&room))
}
