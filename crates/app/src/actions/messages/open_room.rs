//! Creates group rooms.

use std::sync::Arc;

use confab_domain::decision::principal::Principal;
use confab_domain::rooms::opening::{OpenRoom, RoomInput};
use confab_domain::rooms::room::Room;
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Creates a group room with the client's unique id, or with a new one.
pub async fn open_room(
    decisions: &Decisions,
    by: &Principal,
    wanted: RoomInput,
) -> Result<Arc<Room>, WriteError> {
    let unique_id = wanted.unique_id.clone().unwrap_or_else(ids::room_unique_id);
    let creator = wanted.creator.clone();
    let new = wanted.with_unique_id(by.app.id, unique_id);
    decisions.decide(by, OpenRoom { new, creator }).await
}
