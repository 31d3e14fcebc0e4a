//! `GET /get_user_rooms` (wire facts 3.2)

use axum::extract::State;
use confab_store::RoomListing;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{UserRooms, UserRoomsFields, UserRoomsShape, user_rooms};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::unknown_user;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_user_rooms",
    operation_id = "get_user_rooms",
    tag = "Rooms",
    summary = "List a user's rooms, the one last spoken in first",
    params(UserRoomsFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses(
        (status = 200, description = "Done", body = Results<UserRoomsShape<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let UserRooms { user, page, kind } = UserRooms::read(&query.fields()?)?;
    let listing = RoomListing { kind, skipped: page.skipped(), size: page.size };
    let found = services.store().user(caller.app.id, &user).await?;
    let key = found.ok_or_else(|| unknown_user(&user))?.key;
    let (rooms, total) = services.store().user_rooms(caller.app.id, key, listing).await?;
    ok(user_rooms(&rooms, total, page))
}
