//! `GET /get_rooms_info` (wire facts 3.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{RoomList, RoomsFields, read_rooms, room_list};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_rooms_info",
    operation_id = "get_rooms_info",
    tag = "Rooms",
    summary = "Read rooms",
    params(RoomsFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<RoomList<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let refs = read_rooms(&query.fields()?)?;
    let rooms = services.store().rooms(caller.app.id, &refs).await?;
    ok(room_list(&rooms))
}
