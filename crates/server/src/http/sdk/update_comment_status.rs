//! `POST /update_comment_status` (wire facts 4.3)

use axum::extract::State;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{StatusUpdated, UpdateStatus, UpdateStatusFields};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/update_comment_status",
    operation_id = "client_update_comment_status",
    tag = "Clients",
    summary = "Say up to where one received and read a room",
    request_body = UpdateStatusFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<StatusUpdated>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let update = UpdateStatus::read(&body.fields()?)?;
    let given = Acknowledge {
        room: update.room.clone(),
        by: caller.user.itself(),
        read: update.read,
        received: update.received,
    };
    let changed = actions::acknowledge(&services, &caller.app, given).await?;
    ok(update.answer(caller.user.key, changed))
}
