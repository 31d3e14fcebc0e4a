//! Catching up after a client was away (wire facts 4.3).
//!
//! - `GET /sync`
//! - `GET /sync_event`

use axum::extract::State;
use axum::http::StatusCode;
use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::events::{SyncEventFields, SyncedEvents, read_sync_event, synced_events};
use confab_wire::sdk_api::messages::{SyncFields, Synced, read_sync, synced};

use super::search::list_in_rooms;
use crate::clock;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::json::json;
use crate::services::Services;
use crate::unsent::Asker;

#[utoipa::path(
    get,
    path = "/sync",
    operation_id = "client_sync",
    tag = "Clients",
    summary = "Catch up with messages of all one's rooms",
    params(SyncFields),
    responses((status = 200, description = "Done", body = Results<Synced<'static>>)),
)]
pub(crate) async fn load_messages(
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

#[utoipa::path(
    get,
    path = "/sync_event",
    operation_id = "client_sync_event",
    tag = "Clients",
    summary = "Catch up with what happened to messages",
    params(SyncEventFields),
    responses((status = 200, description = "Done", body = SyncedEvents<'static>)),
)]
pub(crate) async fn load_events(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let after = read_sync_event(&query.fields()?)?;
    let size = limits::SYNC_EVENTS_MAX;
    let events = services.store().changes_after(caller.user.key, after, size).await?;
    // What happened before that is forgotten.
    let kept_us = limits::EVENTS_KEPT_DAYS * 24 * 3600 * 1_000_000;
    let oldest = EventId::first_at(Timestamp(clock::now().0 - kept_us));
    let is_found = after.0 == 0 || after >= oldest;
    Ok(json(StatusCode::OK, &synced_events(&events, is_found)))
}
