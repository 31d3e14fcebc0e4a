//! `GET /load_comments_with_range` (wire facts 3.4)

use axum::extract::State;
use confab_domain::limits;
use confab_domain::messages::message::Said;
use confab_domain::refusal::Refusal;
use confab_wire::message_api::comments::{
    Comment, CommentList, LoadRange, LoadRangeFields, loaded,
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
    path = "/load_comments_with_range",
    operation_id = "load_comments_with_range",
    tag = "Messages",
    summary = "Load the newest 100 messages between two ids",
    params(LoadRangeFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let LoadRange { room, first, last } = LoadRange::read(&query.fields()?)?;
    let size = limits::RANGE_MESSAGES_MAX;
    let found = services.store().range(caller.app.id, &room, (first, last), size).await?;
    let range = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    let shown = |said: &Said, out: &mut Vec<u8>| write(out, &Comment::loaded(said));
    let asker = Asker::app(&caller.app);
    message_list(&services, asker, &results(loaded(&[])), range, shown, 0).await
}
