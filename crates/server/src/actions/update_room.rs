//! Changes a group room.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::updating::{RoomEdit, UpdateRoom};
use confab_store::WriteError;

use crate::services::Services;

/// Tells whether anything changed.
pub(crate) async fn update_room(
    services: &Services,
    app: &Arc<App>,
    room: RoomRef,
    edit: RoomEdit,
) -> Result<(bool, Arc<Room>), WriteError> {
    services.decide(app, UpdateRoom { room, edit }).await
}
