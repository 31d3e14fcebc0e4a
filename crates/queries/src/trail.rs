//! The trail of events in a customer's room, with the names of the agents in it (design/support).

use confab_domain::ids::{AppId, RoomId, TrailId};
use confab_domain::support::conversations::trail::TrailEntry;
use confab_store::{Store, StoreError, TrailRow};

use super::people::{named, whom};

/// Reads the newest entries of the trail before an id, newest first.
pub async fn find(
    store: &Store,
    app: AppId,
    room: RoomId,
    before: TrailId,
    size: usize,
) -> Result<Vec<TrailEntry>, StoreError> {
    let kept = store.trail(room, before, size).await?;
    with_names(store, app, room, kept).await
}

/// Reads one entry of the trail, with the names of its agents.
pub async fn one(
    store: &Store,
    app: AppId,
    room: RoomId,
    id: TrailId,
) -> Result<Option<TrailEntry>, StoreError> {
    let kept = store.trail_entry(room, id).await?.into_iter().collect();
    Ok(with_names(store, app, room, kept).await?.pop())
}

async fn with_names(
    store: &Store,
    app: AppId,
    room: RoomId,
    kept: Vec<TrailRow>,
) -> Result<Vec<TrailEntry>, StoreError> {
    let ids = kept.iter().flat_map(|it| [it.by, it.agent]).flatten().collect();
    let people = named(store, app, ids).await?;
    let entry = |it: TrailRow| {
        let TrailRow { id, what, by, agent, at } = it;
        TrailEntry { id, room, what, by: whom(&people, by), agent: whom(&people, agent), at }
    };
    Ok(kept.into_iter().map(entry).collect())
}
