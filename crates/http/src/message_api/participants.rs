//! Participants of rooms (wire facts 3.2).
//!
//! - `GET /get_room_participants`
//! - `POST /add_room_participants`, `POST /remove_room_participants`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::joining::{AddParticipants, RemoveParticipants};
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{
    Participants, ParticipantsAdded, ParticipantsFields, ParticipantsRemoved, RoomAndUsersFields,
    participants, participants_added, participants_removed, read_participants, read_room_and_users,
};

use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::SdkCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/get_room_participants",
    operation_id = "get_room_participants",
    tag = "Rooms",
    summary = "List the participants of a room",
    params(ParticipantsFields),
    responses((status = 200, description = "Done", body = Results<Participants<'static>>)),
)]
pub(crate) async fn list(
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

#[utoipa::path(
    post,
    path = "/add_room_participants",
    operation_id = "add_room_participants",
    tag = "Rooms",
    summary = "Add participants to a room",
    request_body = RoomAndUsersFields,
    responses((status = 200, description = "Done", body = Results<ParticipantsAdded<'static>>)),
)]
pub(crate) async fn add(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let changed = services.decide(&caller.app, AddParticipants { room, users }).await?;
    ok(participants_added(&changed))
}

#[utoipa::path(
    post,
    path = "/remove_room_participants",
    operation_id = "remove_room_participants",
    tag = "Rooms",
    summary = "Remove participants from a room",
    request_body = RoomAndUsersFields,
    responses((status = 200, description = "Done", body = Results<ParticipantsRemoved<'static>>)),
)]
pub(crate) async fn remove(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let changed = services.decide(&caller.app, RemoveParticipants { room, users }).await?;
    ok(participants_removed(&changed))
}
