//! Opens a channel, or finds it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::rooms::opening::{OpenChannel, WantedRoom};
use confab_domain::rooms::room::{Room, RoomUniqueId};
use confab_store::WriteError;

use crate::services::Services;

/// Also adds who is missing; tells whether anything changed.
pub(crate) async fn open_channel(
    services: &Services,
    app: &Arc<App>,
    unique_id: RoomUniqueId,
    wanted: WantedRoom,
) -> Result<(bool, Arc<Room>), WriteError> {
    services.decide(app, OpenChannel { new: wanted.known_as(app.id, unique_id) }).await
}
