//! Received and read positions (wire facts 4.3).

use confab_app::decide::Decisions;
use confab_domain::limits;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_domain::refusal::Refusal;
use confab_queries::client_rooms::visible;
use confab_store::{ReadMark, Store, WriteError};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::events::{ReceiptFields, Receipts, read_receipt, receipts};
use confab_wire::sdk_api::messages::ReceiptPositions;
use confab_wire::sdk_api::messages::{StatusUpdated, UpdateStatus, UpdateStatusFields};

use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::ClientCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Set the positions up to which the caller received and read a room
    POST "/update_comment_status" client_update_comment_status = acknowledge [403 404];
    /// List who received and read a message
    GET "/comment_receipt" client_comment_receipt = load [404];
}

async fn acknowledge(
    Part(decisions): Part<Decisions>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<UpdateStatusFields>,
) -> Answer<Results<StatusUpdated>> {
    let update = UpdateStatus::read(&body.fields()?)?;
    let given = Acknowledge {
        room: update.room.clone(),
        by: caller.user.itself(),
        read: update.read,
        received: update.received,
    };
    let changed = match decisions.decide(&caller, given).await {
        // A user who sees the room without being a participant has no position to set.
        Err(WriteError::Refused(Refusal::RoomNotFound(_))) => {
            visible(decisions.store(), &caller.user, &update.room).await?;
            false
        }
        changed => changed?,
    };
    ok(update.answer(caller.user.key, changed))
}

async fn load(
    Part(store): Part<Store>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<ReceiptFields>,
) -> Answer<Results<Receipts<'static>>> {
    let message = read_receipt(&query.fields()?)?;
    let place = store.place_of_message(caller.user.key, message).await?;
    let unknown = || Refusal::MessageNotFound(message.to_string());
    let (room, number, sender) = place.ok_or_else(unknown)?;
    let people = store.marked_people(room, limits::ROOM_PARTICIPANTS_MAX).await?;
    let others = people.iter().filter(|(user, _)| user.key != sender);
    ok(receipts(others.map(|(user, mark)| (user, reached(mark))), number))
}

/// Returns a participant's received and read positions in the format of the response.
pub(crate) fn reached(mark: &ReadMark) -> ReceiptPositions {
    let ReadMark { user, read_number, received_number } = *mark;
    ReceiptPositions { user, read_number, received_number }
}
