//! `POST /update_room` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{EditRoomFields, OpenedRoom, read_edit_room};

use super::opened_as;
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/update_room",
    operation_id = "sdk_update_room",
    tag = "Clients",
    summary = "Change a group room of the caller",
    request_body = EditRoomFields,
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
    let (room, edit) = read_edit_room(&body.fields()?)?;
    let own = caller.user.itself();
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let edited = actions::edit_as(&services, &caller.app, own, room, edit).await?;
    opened_as(&services, &caller, &edited.1, edited.0).await
}
