//! `POST /get_or_create_channel` (wire facts 3.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::rooms::{ChangedRoom, ChannelFields, changed_room, read_channel};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::quotas;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/get_or_create_channel",
    operation_id = "get_or_create_channel",
    tag = "Rooms",
    summary = "Open or find a channel",
    request_body = ChannelFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<ChangedRoom<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let (unique_id, wanted) = read_channel(&body.fields()?)?;
    quotas::count_room(&services, caller.app.id, None, &unique_id).await?;
    let (changed, room) = actions::open_channel(&services, &caller.app, unique_id, wanted).await?;
    ok(changed_room(changed, &room))
}
