//! `GET /comment_receipt` (wire facts 4.3)

use axum::extract::State;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::events::{ReceiptFields, Receipts, read_receipt, receipts};

use super::looking::reached;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/comment_receipt",
    operation_id = "client_comment_receipt",
    tag = "Clients",
    summary = "Show who received and read a message",
    params(ReceiptFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<Receipts<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
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
