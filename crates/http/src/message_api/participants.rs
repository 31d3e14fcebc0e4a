//! Participants of rooms (wire facts 3.2).

use confab_app::decide::Decisions;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::joining::{AddParticipants, RemoveParticipants};
use confab_store::Store;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{
    Participants, ParticipantsAdded, ParticipantsFields, ParticipantsRemoved, RoomAndUsersFields,
    participants, participants_added, participants_removed, read_participants, read_room_and_users,
};

use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::SdkCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Rooms";
    /// List the participants of a room
    GET "/get_room_participants" get_room_participants = list [404];
    /// Add participants to a room
    POST "/add_room_participants" add_room_participants = add [403 404 409];
    /// Remove participants from a room
    POST "/remove_room_participants" remove_room_participants = remove [404 409];
}

async fn list(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<ParticipantsFields>,
) -> Answer<Results<Participants<'static>>> {
    let (room, page) = read_participants(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let found = store.participants(caller.app.id, &room, skipped, size).await?;
    let users = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    ok(participants(&users))
}

async fn add(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    body: RequestBody<RoomAndUsersFields>,
) -> Answer<Results<ParticipantsAdded<'static>>> {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let changed = decisions.decide(&caller, AddParticipants { room, users }).await?;
    ok(participants_added(&changed))
}

async fn remove(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    body: RequestBody<RoomAndUsersFields>,
) -> Answer<Results<ParticipantsRemoved<'static>>> {
    let (room, users) = read_room_and_users(&body.fields()?)?;
    let changed = decisions.decide(&caller, RemoveParticipants { room, users }).await?;
    ok(participants_removed(&changed))
}
