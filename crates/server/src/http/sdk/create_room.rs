//! `POST /create_room` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::rooms::{NewRoomFields, OpenedRoom, read_new_room};

use super::{must_reach, opened_as};
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/create_room",
    operation_id = "sdk_create_room",
    tag = "Clients",
    summary = "Open a group room with the caller in it",
    request_body = NewRoomFields,
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
    let wanted = read_new_room(&body.fields()?, &caller.user)?;
    let named: Vec<_> = wanted.participants.iter().map(|it| it.user_id().clone()).collect();
    must_reach(&services, &caller, &named).await?;
    services.quotas().count_room(caller.app.id, Some(caller.user.key))?;
    let room = actions::open_room(&services, &caller.app, wanted).await?;
    opened_as(&services, &caller, &room, true).await
}
