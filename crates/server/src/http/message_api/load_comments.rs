//! `GET /load_comments` (spec 4.1)

use axum::extract::State;
use confab_domain::messages::message::Said;
use confab_domain::refusal::Refusal;
use confab_wire::message_api::comments::{
    Comment, CommentList, LoadComments, LoadCommentsFields, loaded,
};
use confab_wire::message_api::{Results, results};

use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::json::write;
use crate::http::large_answers::message_list;
use crate::services::Services;
use crate::unsent::Asker;

#[utoipa::path(
    get,
    path = "/load_comments",
    operation_id = "load_comments",
    tag = "Messages",
    summary = "Load a page of a room's messages, newest first",
    params(LoadCommentsFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let LoadComments { room, page } = LoadComments::read(&query.fields()?)?;
    let (skipped, size) = (page.skipped(), page.size);
    let found = services.store().page(caller.app.id, &room, skipped, size).await?;
    let page = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    let shown = |said: &Said, out: &mut Vec<u8>| write(out, &Comment::loaded(said));
    let asker = Asker::app(&caller.app);
    message_list(&services, asker, &results(loaded(&[])), page, shown, 0).await
}
