//! `GET /sync` (wire facts 4.3)

use axum::extract::State;
use confab_domain::rooms::room::RoomRef;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::messages::{SyncFields, Synced, read_sync, synced};

use super::searching::list_in_rooms;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;
use crate::unsent::Asker;

#[utoipa::path(
    get,
    path = "/sync",
    operation_id = "client_sync",
    tag = "Clients",
    summary = "Catch up with messages of all one's rooms",
    params(SyncFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<Synced<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let (after, size) = read_sync(&query.fields()?)?;
    let page = services.store().messages_after(caller.user.key, after, size).await?;
    // Where there is nothing, the next call goes on from the same place.
    let last = page.last().map_or(after, |entry| entry.key().id);
    let mut rooms: Vec<_> = page.iter().map(|entry| entry.key().room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    let rooms: Vec<_> = rooms.into_iter().map(RoomRef::Id).collect();
    let rooms = services.store().rooms(caller.app.id, &rooms).await?;
    let asker = Asker::user(&caller.user);
    list_in_rooms(&services, asker, &results(synced(last)), page, rooms).await
}
