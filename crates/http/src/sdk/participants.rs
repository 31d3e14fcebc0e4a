//! Participants of the caller's rooms (wire facts 4.2).
//!
//! - `GET /room_participants`
//! - `POST /add_room_participants`, `POST /remove_room_participants`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::people::user::User;
use confab_domain::rooms::room_view::{Mark, Participant};
use confab_domain::rooms::visiting::{AddParticipantsAs, RemoveParticipantsAs};
use confab_store::ParticipantListing as Which;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{
    ClientParticipants, ClientRoomAndUsersFields, PeopleAdded, PeopleRemoved, WhoIsIn,
    WhoIsInFields, participant_page, people_added, read_room_and_users,
};

use super::must_reach;
use super::rooms::seen_room;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::{ClientCaller, UserCaller};
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/room_participants",
    operation_id = "sdk_room_participants",
    tag = "Clients",
    summary = "List the participants of a room",
    params(WhoIsInFields),
    responses((status = 200, description = "Done", body = Results<ClientParticipants<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery,
) -> Answer {
    let asked = WhoIsIn::read(&query.fields()?)?;
    let seen = seen_room(&services, &caller, &asked.room).await?;
    let WhoIsIn { is_from_last, skipped, .. } = asked;
    let which = Which { is_from_last, skipped, size: asked.page.size };
    let people = services.store().who_is_in(seen.room.id, which).await?;
    ok(participant_page(&people, &asked, seen.participants_total))
}

#[utoipa::path(
    post,
    path = "/add_room_participants",
    operation_id = "sdk_add_room_participants",
    tag = "Clients",
    summary = "Add participants to a room of the caller",
    request_body = ClientRoomAndUsersFields,
    responses((status = 200, description = "Done", body = Results<PeopleAdded<'static>>)),
)]
pub(crate) async fn add(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    must_reach(&services, &caller, &users).await?;
    let own = caller.user.itself();
    let users = users.into_iter().map(|user| caller.user.means(user)).collect();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let rule = AddParticipantsAs { by: own, room, users };
    let added = services.decide(&caller.app, rule).await?;
    let none = Mark::default();
    let people: Vec<_> = added
        .iter()
        .map(|user| Participant { user: User::clone(user), read: none, received: none })
        .collect();
    ok(people_added(&people))
}

#[utoipa::path(
    post,
    path = "/remove_room_participants",
    operation_id = "sdk_remove_room_participants",
    tag = "Clients",
    summary = "Remove participants from a room of the caller, or leave it",
    request_body = ClientRoomAndUsersFields,
    responses((status = 200, description = "Done", body = Results<PeopleRemoved>)),
)]
pub(crate) async fn remove(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let own = caller.user.itself();
    let users = users.into_iter().map(|user| caller.user.means(user)).collect();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let rule = RemoveParticipantsAs { by: own, room, users };
    let left = services.decide(&caller.app, rule).await?;
    let participants_removed = left.iter().map(|user| user.user_id.as_str().to_owned()).collect();
    ok(PeopleRemoved { participants_removed })
}
