//! Clears rooms for one participant.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::clearing::ClearRooms;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::WriteError;

use crate::services::Services;

/// Clears all of them or none; for everybody else they stay as they are.
pub(crate) async fn clear_rooms(
    services: &Services,
    app: &Arc<App>,
    by: UserRef,
    rooms: Vec<RoomRef>,
) -> Result<Vec<Arc<Room>>, WriteError> {
    services.decide(app, ClearRooms { by, rooms }).await
}
