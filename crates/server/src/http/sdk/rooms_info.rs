//! `POST /rooms_info` (wire facts 4.2)

use axum::extract::State;
use confab_domain::rooms::room::Room;
use confab_domain::rooms::seeing;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::rooms::{RoomsInfo, RoomsInfoFields, read_rooms_info, rooms_info};
use futures_util::future::try_join_all;

use super::room_list::room_list;
use crate::http::answer::Answer;
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
    let is_in = |room: &Room| store.cleared_number(room.id, viewer);
    let is_in = try_join_all(rooms.iter().map(is_in)).await?;
    let seen = rooms.into_iter().zip(is_in);
    let seen = seen.filter(|(room, is_in)| seeing::may_see(room, is_in.is_some()));
    let rooms: Vec<_> = seen.map(|(room, _)| room).collect();
    let shell = results(rooms_info(asked.len(), rooms.len()));
    room_list(&services, &caller, &shell, rooms, shows_participants).await
}
