//! `GET /room_participants` (wire facts 4.2)

use axum::extract::State;
use confab_store::WhoIsIn as Which;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{ClientParticipants, WhoIsIn, WhoIsInFields, participant_page};

use super::seen_room;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/room_participants",
    operation_id = "sdk_room_participants",
    tag = "Clients",
    summary = "Who is in a room of the caller",
    params(WhoIsInFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<ClientParticipants<'static>>),
        ClientFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let asked = WhoIsIn::read(&query.fields()?)?;
    let seen = seen_room(&services, &caller, &asked.room).await?;
    let WhoIsIn { is_from_last, skipped, .. } = asked;
    let which = Which { is_from_last, skipped, size: asked.page.size };
    let people = services.store().who_is_in(seen.room.id, which).await?;
    ok(participant_page(&people, &asked, seen.participants_total))
}
