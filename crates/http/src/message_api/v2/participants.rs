//! Participants of rooms (wire facts 3.9).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::joining::{AddParticipants, RemoveParticipants};
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::{ParticipantListing, Store};
use confab_wire::message_api::Results;
use confab_wire::message_api::v2::{
    RoomAndPeople, RoomAndPeopleFields, read_room_and_people, room_and_people,
};
use confab_wire::sdk_api::rooms::{ClientParticipants, WhoIsIn, WhoIsInFields, participant_page};

use super::{NOBODY, seen};
use crate::calls::calls;
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::RestV2Caller;
use crate::responses::answer::{Answer, ok};
use crate::responses::problem::Problem;

calls! {
    "Message API v2";
    /// List the participants of a room
    GET "/get_room_participants" rest_v2_get_room_participants = list [404];
    /// Add participants to a room
    POST "/add_room_participants" rest_v2_add_room_participants = add [403 404 409];
    /// Remove participants from a room
    POST "/remove_room_participants" rest_v2_remove_room_participants = remove [404 409];
}

async fn list(
    State(services): State<Services>,
    caller: RestV2Caller,
    query: RequestQuery<WhoIsInFields>,
) -> Answer<Results<ClientParticipants<'static>>> {
    let asked = WhoIsIn::read(&query.fields()?)?;
    let seen =
        seen(services.store(), NOBODY, found(services.store(), &caller.app, &asked.room).await?)
            .await?;
    let WhoIsIn { is_from_last, skipped, .. } = asked;
    let which = ParticipantListing { is_from_last, skipped, size: asked.page.size };
    let people = services.store().who_is_in(seen.room.id, which).await?;
    ok(participant_page(&people, &asked, seen.participants_total))
}

async fn add(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<RoomAndPeopleFields>,
) -> Answer<Results<RoomAndPeople<'static>>> {
    let (room, users) = read_room_and_people(body.fields())?;
    services.decisions().decide(&caller, AddParticipants { room: room.clone(), users }).await?;
    shown(&services, &caller.app, &room).await
}

async fn remove(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<RoomAndPeopleFields>,
) -> Answer<Results<RoomAndPeople<'static>>> {
    let (room, users) = read_room_and_people(body.fields())?;
    services.decisions().decide(&caller, RemoveParticipants { room: room.clone(), users }).await?;
    shown(&services, &caller.app, &room).await
}

/// Answers with the room and its current participants.
async fn shown(
    services: &Services,
    app: &App,
    room: &RoomRef,
) -> Answer<Results<RoomAndPeople<'static>>> {
    let room = found(services.store(), app, room).await?;
    ok(room_and_people(&seen(services.store(), NOBODY, room).await?, ""))
}

async fn found(store: &Store, app: &App, room: &RoomRef) -> Result<Room, Problem> {
    let found = store.room(app.id, room).await?;
    Ok(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?)
}
