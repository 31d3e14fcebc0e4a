//! `POST /get_or_create_room_with_unique_id` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{NamedRoomFields, OpenedRoom, read_named_room};

use super::opened_as;
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::http::quotas;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/get_or_create_room_with_unique_id",
    operation_id = "sdk_get_or_create_room_with_unique_id",
    tag = "Clients",
    summary = "Find a room by its unique id, or open it as a public channel",
    request_body = NamedRoomFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<OpenedRoom<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (name, wanted) = read_named_room(&body.fields()?, &caller.user)?;
    quotas::count_room(&services, caller.app.id, Some(caller.user.key), &name).await?;
    let own = caller.user.itself();
    let opened = actions::open_by_name(&services, &caller.app, own, name, wanted).await?;
    opened_as(&services, &caller, &opened.1, opened.0).await
}
