//! Messages of the message API: post, load and delete (spec 4.1; wire facts 3.2, 3.4).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::posting::PostSystemEvent;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Pair;
use confab_domain::webhooks::event::MessageSource;
use confab_runtime::admission::response_backpressure::Asker;
use confab_runtime::counted::counted;
use confab_store::PageEntry;
use confab_wire::message_api::comments::{
    self, BroadcastDrafts, BroadcastFields, Comment, CommentBox, CommentList, DeleteMessagesFields,
    LoadComments, LoadCommentsFields, LoadRange, LoadRangeFields, PostComment, PostCommentFields,
    PostSystemEventFields, loaded, posted, read_delete_messages,
};
use confab_wire::message_api::{Confirmed, Results, confirmed, results};

use crate::calls::calls;
use crate::requests::bodies::{IdempotencyKey, RequestBody, RequestQuery, UniqueIds, WebhookDepth};
use crate::requests::callers::SdkCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};
use crate::responses::compressing::AcceptsGzip;
use crate::responses::json::{json_bytes, write, written};
use crate::responses::large_answers::message_list;

calls! {
    "Messages";
    /// Post a message
    POST "/post_comment" post_comment = post [403 404 409];
    /// Load a page of a room's messages, newest first
    GET "/load_comments" load_comments = load [404];
    /// Load the newest 100 messages between two ids
    GET "/load_comments_with_range" load_comments_with_range = load_range [404];
    /// Post a system event
    POST "/post_system_event_message" post_system_event_message = post_system_event [404 409];
    /// Delete up to three messages
    DELETE "/delete_messages" delete_messages = delete [404];
    /// Post one message to each of several users
    POST "/broadcast" broadcast = broadcast [403 404 409];
}

async fn post(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody<PostCommentFields>,
) -> Answer<Results<CommentBox<'static>>> {
    let PostComment { room, draft } = PostComment::read(&body.fields()?, key.as_deref())?;
    services.admission().rate_limits.count_post(caller.app.id, &draft.sender)?;
    services.admission().quotas.count_message(caller.app.id, None)?;
    let message_source = MessageSource::MessageApi;
    let message =
        actions::post_message(services.decisions(), &caller, room, draft, message_source, depth)
            .await?;
    ok(posted(&message))
}

async fn load(
    State(services): State<Services>,
    caller: SdkCaller,
    gzip: AcceptsGzip,
    query: RequestQuery<LoadCommentsFields>,
) -> Answer<Results<CommentList<'static>>> {
    let LoadComments { room, page } = LoadComments::read(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let found = services.store().page(caller.app.id, &room, skipped, size).await?;
    let page = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    // Larger pages are not cached.
    let may_be_kept = skipped == 0 && size <= limits::PAGE_DEFAULT;
    let with_extras = caller.app.shows_sender_extras;
    let whole = |page: &[Arc<PostedMessage>]| written(&results(loaded(page, with_extras)));
    if may_be_kept && let Some(answer) = services.shown_pages().answer(&page, with_extras, whole) {
        return gzip.compressed(Ok(json_bytes(StatusCode::OK, answer).into()));
    }
    gzip.compressed(list_loaded(&services, &caller.app, page).await)
}

/// Answers with loaded messages.
async fn list_loaded(
    services: &Services,
    app: &App,
    page: Vec<PageEntry>,
) -> Answer<Results<CommentList<'static>>> {
    let with_extras = app.shows_sender_extras;
    let shown = move |message: &PostedMessage, out: &mut Vec<u8>| {
        write(out, &Comment::loaded(message, with_extras))
    };
    message_list(services, Asker::app(app), &results(loaded(&[], false)), page, shown, 0).await
}

async fn load_range(
    State(services): State<Services>,
    caller: SdkCaller,
    gzip: AcceptsGzip,
    query: RequestQuery<LoadRangeFields>,
) -> Answer<Results<CommentList<'static>>> {
    let LoadRange { room, first, last } = LoadRange::read(&query.fields()?)?;
    let size = limits::RANGE_MESSAGES_MAX;
    let found = services.store().range(caller.app.id, &room, (first, last), size).await?;
    let range = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    gzip.compressed(list_loaded(&services, &caller.app, range).await)
}

async fn post_system_event(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody<PostSystemEventFields>,
) -> Answer<Results<CommentBox<'static>>> {
    let (fields, code) = (body.fields()?, &caller.app.code);
    let event = PostComment::read_system_event(&fields, key.as_deref(), code)?;
    services.admission().quotas.count_message(caller.app.id, None)?;
    let rule = PostSystemEvent { room: event.room, draft: event.draft };
    let message = services.decisions().decide_after(depth, &caller, rule).await?;
    ok(posted(&message))
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    query: RequestQuery<UniqueIds>,
    body: RequestBody<DeleteMessagesFields>,
) -> Answer<Results<Confirmed>> {
    let rule = read_delete_messages(&body.fields()?, &query.fields()?)?;
    let deleted = decisions.decide(&caller, rule).await?;
    ok(confirmed(format!("{} deleted", counted(deleted.len(), "message"))))
}

async fn broadcast(
    State(services): State<Services>,
    caller: SdkCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody<BroadcastFields>,
) -> Answer<Results<CommentList<'static>>> {
    let BroadcastDrafts { targets, drafts } =
        BroadcastDrafts::read(&body.fields()?, key.as_deref())?;
    if let Some(draft) = drafts.first() {
        services.admission().rate_limits.count_post(caller.app.id, &draft.sender)?;
    }
    for _ in &drafts {
        services.admission().quotas.count_message(caller.app.id, None)?;
    }
    let mut messages = Vec::with_capacity(drafts.len());
    for (target, draft) in targets.into_iter().zip(drafts) {
        let pair = Pair::new(draft.sender.clone(), target).map_err(Refusal::from)?;
        messages.push((pair, draft));
    }
    let messages = actions::broadcast(services.decisions(), &caller, messages, depth).await?;
    ok(comments::broadcast(&messages))
}
