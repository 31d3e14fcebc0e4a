//! Participants of the caller's rooms (wire facts 4.2).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::people::user::User;
use confab_domain::rooms::room_view::{Mark, Participant};
use confab_domain::rooms::visiting::{AddParticipantsAs, RemoveParticipantsAs};
use confab_store::ParticipantListing as Which;
use confab_store::Store;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{
    ClientParticipants, ClientRoomAndUsersFields, PeopleAdded, PeopleRemoved, WhoIsIn,
    WhoIsInFields, participant_page, people_added, read_room_and_users,
};

use super::must_reach;
use super::rooms::seen_room;
use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::{ClientCaller, UserCaller};
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// List the participants of a room
    GET "/room_participants" sdk_room_participants = list [404];
    /// Add participants to a room of the caller
    POST "/add_room_participants" sdk_add_room_participants = add [403 404 409];
    /// Remove participants from a room of the caller, or leave it
    POST "/remove_room_participants" sdk_remove_room_participants = remove [403 404];
}

async fn list(
    Part(store): Part<Store>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<WhoIsInFields>,
) -> Answer<Results<ClientParticipants<'static>>> {
    let asked = WhoIsIn::read(&query.fields()?)?;
    let seen = seen_room(&store, &caller, &asked.room).await?;
    let WhoIsIn { is_from_last, skipped, .. } = asked;
    let which = Which { is_from_last, skipped, size: asked.page.size };
    let people = store.who_is_in(seen.room.id, which).await?;
    ok(participant_page(&people, &asked, seen.participants_total))
}

async fn add(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<ClientRoomAndUsersFields>,
) -> Answer<Results<PeopleAdded<'static>>> {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    must_reach(services.store(), &caller, &users).await?;
    let own = caller.user.itself();
    let users = users.into_iter().map(|user| caller.user.means(user)).collect();
    services.admission().quotas.count_message(caller.app.id, Some(caller.user.key))?;
    let rule = AddParticipantsAs { by: own, room, users };
    let added = services.decisions().decide(&caller, rule).await?;
    let none = Mark::default();
    let people: Vec<_> = added
        .iter()
        .map(|user| Participant { user: User::clone(user), read: none, received: none })
        .collect();
    ok(people_added(&people))
}

async fn remove(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody<ClientRoomAndUsersFields>,
) -> Answer<Results<PeopleRemoved>> {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let own = caller.user.itself();
    let users = users.into_iter().map(|user| caller.user.means(user)).collect();
    services.admission().quotas.count_message(caller.app.id, Some(caller.user.key))?;
    let rule = RemoveParticipantsAs { by: own, room, users };
    let left = services.decisions().decide(&caller, rule).await?;
    let participants_removed = left.iter().map(|user| user.user_id.as_str().to_owned()).collect();
    ok(PeopleRemoved { participants_removed })
}
