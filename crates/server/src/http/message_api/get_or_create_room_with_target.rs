//! `POST /get_or_create_room_with_target` (wire facts 3.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{PairFields, RoomBox, one_room, read_pair};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::quotas;
use crate::ids;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_target",
    operation_id = "get_or_create_room_with_target",
    tag = "Rooms",
    summary = "Open or find the single room of two users",
    request_body = PairFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<RoomBox<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (pair, options) = read_pair(&body.fields()?)?;
    let name = ids::pair_unique_id(&pair);
    quotas::count_room(&services, caller.app.id, None, &name).await?;
    let room = actions::open_pair(&services, &caller.app, pair, options).await?;
    ok(one_room(&room))
}
