//! Synchronization of clients that were disconnected (wire facts 4.3).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::ids::{EventId, MessageId, UserKey};
use confab_domain::limits;
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;
use confab_runtime::admission::response_backpressure::Asker;
use confab_runtime::clock;
use confab_store::{PageEntry, Store, StoreError};
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::events::{SyncEventFields, SyncedEvents, read_sync_event, synced_events};
use confab_wire::sdk_api::messages::{SyncFields, SyncResult, read_sync, synced};

use super::search::list_in_rooms;
use crate::calls::calls;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::ClientCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Bare, bare};

calls! {
    "Clients";
    /// Get new messages of all of the caller's rooms
    GET "/sync" client_sync = load_messages;
    /// Get new events about messages, such as deletions and receipts
    GET "/sync_event" client_sync_event = load_events;
}

async fn load_messages(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<SyncFields>,
) -> Answer<Results<SyncResult<'static>>> {
    let (after, size) = read_sync(&query.fields()?)?;
    let (store, user) = (services.store(), caller.user.key);
    let newer = store.messages_after(user, after, size).await?;
    // An empty page does not change the client's position.
    let last = newer.last().map_or(after, |entry| entry.key().id);
    let mut page = late_messages(store, user, after).await?;
    page.extend(newer);
    let mut rooms: Vec<_> = page.iter().map(|entry| entry.key().room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    let rooms: Vec<_> = rooms.into_iter().map(RoomRef::Id).collect();
    let rooms = store.rooms(caller.app.id, &rooms).await?;
    let asker = Asker::user(&caller.user);
    list_in_rooms(&services, asker, &results(synced(last)), page, rooms).await
}

/// Returns messages that the client may have missed although their ids are smaller than that of its
/// last message, because they were committed late. They are returned only for a short time after
/// `last`, since a client may repeat the call with the same position forever.
async fn late_messages(
    store: &Store,
    user: UserKey,
    last: MessageId,
) -> Result<Vec<PageEntry>, StoreError> {
    let now = clock::now();
    let age_us = now.0 - EventId(last.0).made_at().0;
    match age_us < limits::SYNC_LATE_ASKED_MS * 1_000 {
        true => store.late_messages(user, last, now).await,
        false => Ok(Vec::new()),
    }
}

async fn load_events(
    Part(store): Part<Store>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<SyncEventFields>,
) -> Answer<Bare<SyncedEvents<'static>>> {
    let after = read_sync_event(&query.fields()?)?;
    let size = limits::SYNC_EVENTS_MAX;
    let events = store.changes_after(caller.user.key, after, size).await?;
    // Older events are already purged.
    let kept_us = limits::EVENT_RETENTION_DAYS * 24 * 3600 * 1_000_000;
    let oldest = EventId::first_at(Timestamp(clock::now().0 - kept_us));
    let is_found = after.0 == 0 || after >= oldest;
    bare(synced_events(&events, is_found))
}
