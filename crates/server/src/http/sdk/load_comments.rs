//! `GET /load_comments` of a client (wire facts 4.3)

use axum::extract::State;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::Said;
use confab_domain::rooms::room::RoomRef;
use confab_store::PageEntry;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::comment::ClientComment;
use confab_wire::sdk_api::messages::{
    CommentList, LoadComments, LoadCommentsFields, listed, status,
};

use super::looking::{Visible, reached, visible};
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::http::json::write;
use crate::http::large_answers::message_list;
use crate::http::problem::Problem;
use crate::services::Services;
use crate::unsent::Asker;

#[utoipa::path(
    get,
    path = "/load_comments",
    operation_id = "client_load_comments",
    tag = "Clients",
    summary = "Load messages of a room, newest first",
    params(LoadCommentsFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<CommentList<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = LoadComments::read(&query.fields()?)?;
    let visible = visible(&services, &caller, &wanted.room).await?;
    let page = page(&services, &visible, &wanted).await?;
    let room = visible.room;
    let marks = services.store().marks(room.id, limits::STATUS_PARTICIPANTS_MAX + 1).await?;
    let reached: Vec<_> = marks.iter().map(reached).collect();
    let shown = move |said: &Said, out: &mut Vec<u8>| {
        let status = status(&room, &said.message, &reached);
        write(out, &ClientComment::answered(said, &room, status));
    };
    let asker = Asker::user(&caller.user);
    message_list(&services, asker, &results(listed([])), page, shown, 0).await
}

/// Newest first, without what the caller cleared.
async fn page(
    services: &Services,
    visible: &Visible,
    wanted: &LoadComments,
) -> Result<Vec<PageEntry>, Problem> {
    let Visible { room, cleared_number } = visible;
    let (store, size) = (services.store(), wanted.size);
    if wanted.is_after {
        let after = wanted.from.unwrap_or(MessageId(0));
        let mut page = store.following(room.id, after, *cleared_number, size).await?;
        page.reverse();
        return Ok(page);
    }
    let asked = RoomRef::Id(room.id);
    let page = match wanted.from {
        None => store.page(room.app, &asked, 0, size).await?,
        Some(from) => {
            let ids = (MessageId(0), MessageId(from.0 - 1));
            store.range(room.app, &asked, ids, size).await?
        }
    };
    let mut page = page.unwrap_or_default();
    page.retain(|entry| entry.key().number > *cleared_number);
    Ok(page)
}
