//! `GET /get_room_participants` (wire facts 3.2)

use axum::extract::State;
use confab_domain::refusal::Refusal;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{
    Participants, ParticipantsFields, participants, read_participants,
};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_room_participants",
    operation_id = "get_room_participants",
    tag = "Rooms",
    summary = "List who is in a room",
    params(ParticipantsFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses(
        (status = 200, description = "Done", body = Results<Participants<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let (room, page) = read_participants(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let found = services.store().participants(caller.app.id, &room, skipped, size).await?;
    let users = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    ok(participants(&users))
}
