//! `POST /post_comment` of a client (wire facts 4.3)

use axum::extract::State;
use confab_domain::people::blocking;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice::Door;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{CommentBox, PostCommentFields, one, read_post};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{RequestBody, WebhookDepth};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/post_comment",
    operation_id = "client_post_comment",
    tag = "Clients",
    summary = "Post a message as oneself",
    request_body = PostCommentFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<CommentBox<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody,
) -> Answer {
    let app = &caller.app;
    let (asked, draft) = read_post(&body.fields()?, &caller.user)?;
    services.rate_limits().count_post(app.id, &draft.sender)?;
    services.quotas().count_message(app.id, Some(caller.user.key))?;
    let found = services.store().room(app.id, &asked).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(asked.shown()))?;
    if blocking::matters_in(&room) {
        let is_blocked = services.store().is_blocked_in(room.id, caller.user.key).await?;
        blocking::check(&room, is_blocked)?;
    }
    let said = actions::post_message(&services, app, asked, draft, Door::Client, depth).await?;
    ok(one(&said, &room))
}
