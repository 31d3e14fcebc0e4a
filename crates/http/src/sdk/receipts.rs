//! Received and read positions (wire facts 4.3).
//!
//! - `POST /update_comment_status`
//! - `GET /comment_receipt`

use axum::extract::State;
use confab_app::queries::client_rooms::visible;
use confab_app::services::Services;
use confab_domain::limits;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_domain::refusal::Refusal;
use confab_store::{ReadMark, WriteError};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::events::{ReceiptFields, Receipts, read_receipt, receipts};
use confab_wire::sdk_api::messages::ReceiptPositions;
use confab_wire::sdk_api::messages::{StatusUpdated, UpdateStatus, UpdateStatusFields};

use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    post,
    path = "/update_comment_status",
    operation_id = "client_update_comment_status",
    tag = "Clients",
    summary = "Set the positions up to which the caller received and read a room",
    request_body = UpdateStatusFields,
    responses((status = 200, description = "Done", body = Results<StatusUpdated>)),
)]
pub(crate) async fn acknowledge(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    let update = UpdateStatus::read(&body.fields()?)?;
    let given = Acknowledge {
        room: update.room.clone(),
        by: caller.user.itself(),
        read: update.read,
        received: update.received,
    };
    let changed = match services.decide(&caller.app, given).await {
        // A user who sees the room without being a participant has no position to set.
        Err(WriteError::Refused(Refusal::RoomNotFound(_))) => {
            visible(&services, &caller.user, &update.room).await?;
            false
        }
        changed => changed?,
    };
    ok(update.answer(caller.user.key, changed))
}

#[utoipa::path(
    get,
    path = "/comment_receipt",
    operation_id = "client_comment_receipt",
    tag = "Clients",
    summary = "List who received and read a message",
    params(ReceiptFields),
    responses((status = 200, description = "Done", body = Results<Receipts<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery,
) -> Answer {
    let message = read_receipt(&query.fields()?)?;
    let place = services.store().place_of_message(caller.user.key, message).await?;
    let unknown = || Refusal::MessageNotFound(message.to_string());
    let (room, number, sender) = place.ok_or_else(unknown)?;
    let people = services.store().marked_people(room, limits::ROOM_PARTICIPANTS_MAX).await?;
    let others = people.iter().filter(|(user, _)| user.key != sender);
    ok(receipts(others.map(|(user, mark)| (user, reached(mark))), number))
}

/// Returns a participant's received and read positions in the format of the response.
pub(crate) fn reached(mark: &ReadMark) -> ReceiptPositions {
    let ReadMark { user, read_number, received_number } = *mark;
    ReceiptPositions { user, read_number, received_number }
}
