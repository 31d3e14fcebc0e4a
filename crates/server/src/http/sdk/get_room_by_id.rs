//! `GET /get_room_by_id` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{OpenedRoom, RoomByIdFields, read_room_by_id};

use super::{opened, seen_room};
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_room_by_id",
    operation_id = "sdk_get_room_by_id",
    tag = "Clients",
    summary = "A room of the caller with its newest comments",
    params(RoomByIdFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<OpenedRoom<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let room = read_room_by_id(&query.fields()?)?;
    let seen = seen_room(&services, &caller, &room).await?;
    opened(&services, &caller, seen, false).await
}
