//! `POST /update_message` of a client (wire facts 4.3)

use axum::extract::State;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{CommentBox, UpdateMessage, UpdateMessageFields, one};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/update_message",
    operation_id = "client_update_message",
    tag = "Clients",
    summary = "Change one's own message",
    request_body = UpdateMessageFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<CommentBox<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let (app, user) = (&caller.app, &caller.user);
    let update = UpdateMessage::read(&body.fields()?)?;
    services.rate_limits().count_post(app.id, &user.itself())?;
    services.quotas().count_message(app.id, Some(caller.user.key))?;
    let id = update.unique_id.clone();
    let draft = |message: &_| update.draft(message, user);
    let said = actions::edit_message(&services, app, user.key, id, draft).await?;
    let room = RoomRef::Id(said.message.room);
    let found = services.store().room(app.id, &room).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    ok(one(&said, &room))
}
