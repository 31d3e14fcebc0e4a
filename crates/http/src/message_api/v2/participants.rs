//! Participants of rooms (wire facts 3.9).
//!
//! - `GET /get_room_participants`
//! - `POST /add_room_participants`, `POST /remove_room_participants`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::joining::{AddParticipants, RemoveParticipants};
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::ParticipantListing;
use confab_wire::message_api::Results;
use confab_wire::message_api::v2::{
    RoomAndPeople, RoomAndPeopleFields, read_room_and_people, room_and_people,
};
use confab_wire::sdk_api::rooms::{ClientParticipants, WhoIsIn, WhoIsInFields, participant_page};

use super::{NOBODY, seen};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::RestV2Caller;
use crate::responses::answer::{Answer, ok};
use crate::responses::problem::Problem;

#[utoipa::path(
    get,
    path = "/get_room_participants",
    operation_id = "rest_v2_get_room_participants",
    tag = "Message API v2",
    summary = "List the participants of a room",
    params(WhoIsInFields),
    responses((status = 200, description = "Done", body = Results<ClientParticipants<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery,
) -> Answer {
    let asked = WhoIsIn::read(&query.fields()?)?;
    let seen = seen(&services, NOBODY, found(&services, &caller.app, &asked.room).await?).await?;
    let WhoIsIn { is_from_last, skipped, .. } = asked;
    let which = ParticipantListing { is_from_last, skipped, size: asked.page.size };
    let people = services.store().who_is_in(seen.room.id, which).await?;
    ok(participant_page(&people, &asked, seen.participants_total))
}

#[utoipa::path(
    post,
    path = "/add_room_participants",
    operation_id = "rest_v2_add_room_participants",
    tag = "Message API v2",
    summary = "Add participants to a room",
    request_body = RoomAndPeopleFields,
    responses((status = 200, description = "Done", body = Results<RoomAndPeople<'static>>)),
)]
pub(crate) async fn add(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let (room, users) = read_room_and_people(body.fields())?;
    services.decide(&caller.app, AddParticipants { room: room.clone(), users }).await?;
    shown(&services, &caller.app, &room).await
}

#[utoipa::path(
    post,
    path = "/remove_room_participants",
    operation_id = "rest_v2_remove_room_participants",
    tag = "Message API v2",
    summary = "Remove participants from a room",
    request_body = RoomAndPeopleFields,
    responses((status = 200, description = "Done", body = Results<RoomAndPeople<'static>>)),
)]
pub(crate) async fn remove(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody,
) -> Answer {
    let (room, users) = read_room_and_people(body.fields())?;
    services.decide(&caller.app, RemoveParticipants { room: room.clone(), users }).await?;
    shown(&services, &caller.app, &room).await
}

/// Answers with the room and its current participants.
async fn shown(services: &Services, app: &App, room: &RoomRef) -> Answer {
    let room = found(services, app, room).await?;
    ok(room_and_people(&seen(services, NOBODY, room).await?, ""))
}

async fn found(services: &Services, app: &App, room: &RoomRef) -> Result<Room, Problem> {
    let found = services.store().room(app.id, room).await?;
    Ok(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?)
}
