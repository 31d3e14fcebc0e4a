//! `POST /post_comment` (spec 4.1)

use axum::extract::State;
use confab_domain::webhooks::notice::Door;
use confab_wire::message_api::Results;
use confab_wire::message_api::comments::{CommentBox, PostComment, PostCommentFields, posted};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{IdempotencyKey, RequestBody, WebhookDepth};
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/post_comment",
    operation_id = "post_comment",
    tag = "Messages",
    summary = "Post a message",
    request_body = PostCommentFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<CommentBox<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody,
) -> Answer {
    let PostComment { room, draft } = PostComment::read(&body.fields()?, key.as_deref())?;
    services.rate_limits().count_post(caller.app.id, &draft.sender)?;
    services.quotas().count_message(caller.app.id, None)?;
    let (app, door) = (&caller.app, Door::MessageApi);
    let said = actions::post_message(&services, app, room, draft, door, depth).await?;
    ok(posted(&said))
}
