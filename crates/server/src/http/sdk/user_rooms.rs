//! `GET /user_rooms` (wire facts 4.2)

use axum::extract::State;
use confab_store::SeenListing;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::rooms::{RoomPage, UserRooms, UserRoomsFields, room_page};

use super::room_list::room_list;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/user_rooms",
    operation_id = "sdk_user_rooms",
    tag = "Clients",
    summary = "The rooms of the caller, the one last spoken in first",
    params(UserRoomsFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<RoomPage<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let asked = UserRooms::read(&query.fields()?)?;
    let listing = SeenListing {
        kind: asked.kind,
        shows_empty: asked.shows_empty,
        skipped: asked.page.skipped(),
        size: asked.page.size,
    };
    let (store, viewer) = (services.store(), caller.user.key);
    let (rooms, total) = store.rooms_of_user(viewer, listing).await?;
    let shell = results(room_page(&asked, total));
    room_list(&services, &caller, &shell, rooms, asked.shows_participants).await
}
