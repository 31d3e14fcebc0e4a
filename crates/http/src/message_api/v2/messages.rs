//! Messages (wire facts 3.9).

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::posting::PostSystemEvent;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::webhooks::event::MessageSource;
use confab_queries::message_search;
use confab_runtime::admission::response_backpressure::Asker;
use confab_store::Store;
use confab_wire::message_api::comments::{
    LoadComments, LoadCommentsFields, PostComment, PostSystemEventFields,
};
use confab_wire::message_api::v2::{FoundIn, FoundInFields, PostFields, read_post};
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::comment::ClientComment;
use confab_wire::sdk_api::messages::{ClientCommentBox, ClientCommentList, listed, one, status};
use confab_wire::sdk_api::searching::FoundComments;

use crate::calls::calls;
use crate::message_api::addressed;
use crate::requests::bodies::{IdempotencyKey, OmnichannelBody, RequestQuery, WebhookDepth};
use crate::requests::callers::RestV2Caller;
use crate::responses::answer::{Answer, ok};
use crate::responses::compressing::AcceptsGzip;
use crate::responses::json::write;
use crate::responses::large_answers::message_list;
use crate::responses::problem::Problem;
use crate::sdk::receipts::reached;
use crate::sdk::search::list_in_rooms;

calls! {
    "Message API v2";
    /// Post a message
    POST "/post_comment" rest_v2_post_comment = post [403 404 409];
    /// Load a page of a room's messages, newest first
    GET "/load_comments" rest_v2_load_comments = load [404];
    /// Post a system event
    POST "/post_system_event_message"
        rest_v2_post_system_event_message = post_system_event [404 409];
    /// Search for messages in a user's rooms
    POST "/search_messages" rest_v2_search_messages = search [403 404 409];
}

async fn post(
    State(services): State<Services>,
    caller: RestV2Caller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<PostFields>,
) -> Answer<Results<ClientCommentBox<'static>>> {
    let (asked, draft) = read_post(body.fields(), key.as_deref())?;
    services.admission().rate_limits.count_post(caller.app.id, &draft.sender)?;
    services.admission().quotas.count_message(caller.app.id, None)?;
    let (app, message_source) = (&caller.app, MessageSource::MessageApi);
    let posted =
        actions::post_message(services.decisions(), &caller, asked, draft, message_source, depth)
            .await?;
    ok(one(&posted, &room_of(services.store(), app, &RoomRef::Id(posted.message.room)).await?))
}

async fn load(
    State(services): State<Services>,
    caller: RestV2Caller,
    gzip: AcceptsGzip,
    query: RequestQuery<LoadCommentsFields>,
) -> Answer<Results<ClientCommentList<'static>>> {
    let LoadComments { room, page } = LoadComments::read(&query.fields()?)?;
    let room = room_of(services.store(), &caller.app, &room).await?;
    let (asked, skipped, size) = (RoomRef::Id(room.id), page.skipped(), page.size);
    let found = services.store().page(caller.app.id, &asked, skipped, size).await?;
    let marks = services.store().marks(room.id, limits::STATUS_PARTICIPANTS_MAX + 1).await?;
    let reached: Vec<_> = marks.iter().map(reached).collect();
    let held = room.options.len();
    let shown = move |posted: &PostedMessage, out: &mut Vec<u8>| {
        let status = status(&room, &posted.message, &reached);
        write(out, &ClientComment::answered(posted, &room, status));
    };
    let (asker, shell) = (Asker::app(&caller.app), results(listed([])));
    let page = found.unwrap_or_default();
    gzip.compressed(message_list(&services, asker, &shell, page, shown, held).await)
}

async fn post_system_event(
    State(services): State<Services>,
    caller: RestV2Caller,
    key: IdempotencyKey,
    body: OmnichannelBody<PostSystemEventFields>,
) -> Answer<Results<ClientCommentBox<'static>>> {
    let app = &caller.app;
    let event = PostComment::read_system_event(body.fields(), key.as_deref(), &app.code)?;
    services.admission().quotas.count_message(app.id, None)?;
    let rule = PostSystemEvent { room: event.room, draft: event.draft };
    let posted = services.decisions().decide(&caller, rule).await?;
    ok(one(&posted, &room_of(services.store(), app, &RoomRef::Id(posted.message.room)).await?))
}

async fn search(
    State(services): State<Services>,
    caller: RestV2Caller,
    body: OmnichannelBody<FoundInFields>,
) -> Answer<Results<FoundComments<'static>>> {
    let FoundIn { user, search } = FoundIn::read(body.fields())?;
    let user = addressed(services.store(), caller.app.id, &user).await?;
    let found = message_search::find(services.store(), &user, &search).await?;
    let (asker, shell) = (Asker::app(&caller.app), results(search.found(found.total)));
    list_in_rooms(&services, asker, &shell, found.page, found.rooms).await
}

async fn room_of(store: &Store, app: &App, room: &RoomRef) -> Result<Room, Problem> {
    let found = store.room(app.id, room).await?;
    Ok(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?)
}
