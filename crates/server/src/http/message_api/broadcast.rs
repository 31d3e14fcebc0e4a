//! `POST /broadcast` (wire facts 3.2)

use axum::extract::State;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Pair;
use confab_wire::message_api::comments::{Broadcast, BroadcastFields, CommentList};
use confab_wire::message_api::{Results, comments};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{IdempotencyKey, RequestBody};
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/broadcast",
    operation_id = "broadcast",
    tag = "Messages",
    summary = "Post one message to each of several users",
    request_body = BroadcastFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    body: RequestBody,
) -> Answer {
    let Broadcast { targets, drafts } = Broadcast::read(&body.fields()?, key.as_deref())?;
    if let Some(draft) = drafts.first() {
        services.rate_limits().count_post(caller.app.id, &draft.sender)?;
    }
    for _ in &drafts {
        services.quotas().count_message(caller.app.id, None)?;
    }
    let mut messages = Vec::with_capacity(drafts.len());
    for (target, draft) in targets.into_iter().zip(drafts) {
        let pair = Pair::new(draft.sender.clone(), target).map_err(Refusal::from)?;
        messages.push((pair, draft));
    }
    let said = actions::broadcast(&services, &caller.app, messages).await?;
    ok(comments::broadcast(&said))
}
