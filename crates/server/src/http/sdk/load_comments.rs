//! `GET /load_comments` of a client (wire facts 4.3)

use std::sync::Arc;

use axum::extract::State;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::message::Said;
use confab_domain::room::RoomRef;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{
    CommentList, LoadComments, LoadCommentsFields, loaded, status,
};

use super::looking::{Visible, reached, visible};
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::http::problem::Problem;
use crate::services::Services;

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
    let room = &visible.room;
    let marks = services.store().marks(room.id, limits::STATUS_PARTICIPANTS_MAX + 1).await?;
    let reached: Vec<_> = marks.iter().map(reached).collect();
    ok(loaded(&page, room, |message| status(room, message, &reached)))
}

/// Newest first, without what the caller cleared.
async fn page(
    services: &Services,
    visible: &Visible,
    wanted: &LoadComments,
) -> Result<Vec<Arc<Said>>, Problem> {
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
    page.retain(|said| said.message.number > *cleared_number);
    Ok(page)
}
