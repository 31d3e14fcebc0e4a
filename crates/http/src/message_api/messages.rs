//! Messages of the message API: post, load and delete (spec 4.1; wire facts 3.2, 3.4).
//!
//! - `POST /post_comment`
//! - `GET /load_comments`, `GET /load_comments_with_range`
//! - `POST /post_system_event_message`
//! - `DELETE /delete_messages`
//! - `POST /broadcast`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use confab_app::actions;
use confab_app::admission::response_backpressure::Asker;
use confab_app::counted::counted;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::posting::PostSystemEvent;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Pair;
use confab_domain::webhooks::event::MessageSource;
use confab_store::PageEntry;
use confab_wire::message_api::comments::{
    self, BroadcastDrafts, BroadcastFields, Comment, CommentBox, CommentList, DeleteMessagesFields,
    LoadComments, LoadCommentsFields, LoadRange, LoadRangeFields, PostComment, PostCommentFields,
    PostSystemEventFields, loaded, posted, read_delete_messages,
};
use confab_wire::message_api::{Confirmed, Results, confirmed, results};

use crate::requests::bodies::{IdempotencyKey, RequestBody, RequestQuery, WebhookDepth};
use crate::requests::callers::SdkCaller;
use crate::responses::answer::{Answer, ok};
use crate::responses::compressing::AcceptsGzip;
use crate::responses::json::{json_bytes, write, written};
use crate::responses::large_answers::message_list;

#[utoipa::path(
    post,
    path = "/post_comment",
    operation_id = "post_comment",
    tag = "Messages",
    summary = "Post a message",
    request_body = PostCommentFields,
    params(IdempotencyKey),
    responses((status = 200, description = "Done", body = Results<CommentBox<'static>>)),
)]
pub(crate) async fn post(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody,
) -> Answer {
    let PostComment { room, draft } = PostComment::read(&body.fields()?, key.as_deref())?;
    services.rate_limits().count_post(caller.app.id, &draft.sender)?;
    services.quotas().count_message(caller.app.id, None)?;
    let (app, message_source) = (&caller.app, MessageSource::MessageApi);
    let message = actions::post_message(&services, app, room, draft, message_source, depth).await?;
    ok(posted(&message))
}

#[utoipa::path(
    get,
    path = "/load_comments",
    operation_id = "load_comments",
    tag = "Messages",
    summary = "Load a page of a room's messages, newest first",
    params(LoadCommentsFields),
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: SdkCaller,
    gzip: AcceptsGzip,
    query: RequestQuery,
) -> Answer {
    let LoadComments { room, page } = LoadComments::read(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let found = services.store().page(caller.app.id, &room, skipped, size).await?;
    let page = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    // Larger pages are not cached.
    let may_be_kept = skipped == 0 && size <= limits::PAGE_DEFAULT;
    let with_extras = caller.app.shows_sender_extras;
    let whole = |page: &[Arc<PostedMessage>]| written(&results(loaded(page, with_extras)));
    if may_be_kept && let Some(answer) = services.shown_pages().answer(&page, with_extras, whole) {
        return gzip.compressed(Ok(json_bytes(StatusCode::OK, answer)));
    }
    gzip.compressed(list_loaded(&services, &caller.app, page).await)
}

/// Answers with loaded messages.
async fn list_loaded(services: &Services, app: &App, page: Vec<PageEntry>) -> Answer {
    let with_extras = app.shows_sender_extras;
    let shown = move |message: &PostedMessage, out: &mut Vec<u8>| {
        write(out, &Comment::loaded(message, with_extras))
    };
    message_list(services, Asker::app(app), &results(loaded(&[], false)), page, shown, 0).await
}

#[utoipa::path(
    get,
    path = "/load_comments_with_range",
    operation_id = "load_comments_with_range",
    tag = "Messages",
    summary = "Load the newest 100 messages between two ids",
    params(LoadRangeFields),
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>)),
)]
pub(crate) async fn load_range(
    State(services): State<Services>,
    caller: SdkCaller,
    gzip: AcceptsGzip,
    query: RequestQuery,
) -> Answer {
    let LoadRange { room, first, last } = LoadRange::read(&query.fields()?)?;
    let size = limits::RANGE_MESSAGES_MAX;
    let found = services.store().range(caller.app.id, &room, (first, last), size).await?;
    let range = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    gzip.compressed(list_loaded(&services, &caller.app, range).await)
}

#[utoipa::path(
    post,
    path = "/post_system_event_message",
    operation_id = "post_system_event_message",
    tag = "Messages",
    summary = "Post a system event",
    request_body = PostSystemEventFields,
    params(IdempotencyKey),
    responses((status = 200, description = "Done", body = Results<CommentBox<'static>>)),
)]
pub(crate) async fn post_system_event(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody,
) -> Answer {
    let (fields, code) = (body.fields()?, &caller.app.code);
    let event = PostComment::read_system_event(&fields, key.as_deref(), code)?;
    services.quotas().count_message(caller.app.id, None)?;
    let rule = PostSystemEvent { room: event.room, draft: event.draft };
    let message = services.decide_after(depth, &caller.app, rule).await?;
    ok(posted(&message))
}

#[utoipa::path(
    delete,
    path = "/delete_messages",
    operation_id = "delete_messages",
    tag = "Messages",
    summary = "Delete up to three messages",
    params(("unique_ids[]" = Option<Vec<String>>, Query,
        description = "Unique ids, used if the body has none. Repeat the parameter for each id.")),
    request_body = DeleteMessagesFields,
    responses((status = 200, description = "Done", body = Results<Confirmed>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let rule = read_delete_messages(&body.fields()?, &query.fields()?)?;
    let deleted = services.decide(&caller.app, rule).await?;
    ok(confirmed(format!("{} deleted", counted(deleted.len(), "message"))))
}

#[utoipa::path(
    post,
    path = "/broadcast",
    operation_id = "broadcast",
    tag = "Messages",
    summary = "Post one message to each of several users",
    request_body = BroadcastFields,
    params(IdempotencyKey),
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>)),
)]
pub(crate) async fn broadcast(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody,
) -> Answer {
    let BroadcastDrafts { targets, drafts } =
        BroadcastDrafts::read(&body.fields()?, key.as_deref())?;
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
    let messages = actions::broadcast(&services, &caller.app, messages, depth).await?;
    ok(comments::broadcast(&messages))
}
