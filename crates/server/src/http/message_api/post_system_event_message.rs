//! `POST /post_system_event_message` (spec 4.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::comments::{CommentBox, PostComment, PostSystemEventFields, posted};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{IdempotencyKey, RequestBody};
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/post_system_event_message",
    operation_id = "post_system_event_message",
    tag = "Messages",
    summary = "Post a system event",
    request_body = PostSystemEventFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<CommentBox<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    body: RequestBody,
) -> Answer {
    let (fields, code) = (body.fields()?, &caller.app.code);
    let event = PostComment::read_system_event(&fields, key.as_deref(), code)?;
    services.quotas().count_message(caller.app.id, None)?;
    let said = actions::post_system_event(&services, &caller.app, event.room, event.draft).await?;
    ok(posted(&said))
}
