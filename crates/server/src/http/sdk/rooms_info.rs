//! `POST /rooms_info` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{RoomsInfo, RoomsInfoFields, read_rooms_info, rooms_info};

use super::{may_see, participants_shown};
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/rooms_info",
    operation_id = "sdk_rooms_info",
    tag = "Clients",
    summary = "Rooms of the caller, by id or unique id",
    request_body = RoomsInfoFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<RoomsInfo<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (asked, shows_participants) = read_rooms_info(&body.fields()?)?;
    let (store, viewer) = (services.store(), caller.user.key);
    let rooms = store.rooms(caller.app.id, &asked).await?;
    let shown = participants_shown(shows_participants);
    let mut rooms = store.seen_rooms(viewer, rooms, shown).await?;
    rooms.retain(may_see);
    ok(rooms_info(&rooms, viewer, asked.len(), shows_participants))
}
