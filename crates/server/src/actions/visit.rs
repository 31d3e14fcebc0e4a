//! Changes rooms as their clients want it (D-0045).

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::user::{User, UserRef};
use confab_domain::rooms::opening::WantedRoom;
use confab_domain::rooms::room::{Room, RoomRef, RoomUniqueId};
use confab_domain::rooms::updating::RoomEdit;
use confab_domain::rooms::visiting::{
    AddParticipantsAs, OpenByName, RemoveParticipantsAs, UpdateRoomAs,
};
use confab_store::WriteError;

use crate::services::Services;

/// Who came in.
pub(crate) async fn add_as(
    services: &Services,
    app: &Arc<App>,
    by: UserRef,
    room: RoomRef,
    users: Vec<UserRef>,
) -> Result<Vec<Arc<User>>, WriteError> {
    services.decide(app, AddParticipantsAs { by, room, users }).await
}

/// Who left.
pub(crate) async fn remove_as(
    services: &Services,
    app: &Arc<App>,
    by: UserRef,
    room: RoomRef,
    users: Vec<UserRef>,
) -> Result<Vec<Arc<User>>, WriteError> {
    services.decide(app, RemoveParticipantsAs { by, room, users }).await
}

/// Tells whether anything changed.
pub(crate) async fn edit_as(
    services: &Services,
    app: &Arc<App>,
    by: UserRef,
    room: RoomRef,
    edit: RoomEdit,
) -> Result<(bool, Arc<Room>), WriteError> {
    services.decide(app, UpdateRoomAs { by, room, edit }).await
}

/// The room of this name, or a new channel; tells whether anything changed.
pub(crate) async fn open_by_name(
    services: &Services,
    app: &Arc<App>,
    by: UserRef,
    unique_id: RoomUniqueId,
    wanted: WantedRoom,
) -> Result<(bool, Arc<Room>), WriteError> {
    services.decide(app, OpenByName { by, new: wanted.known_as(app.id, unique_id) }).await
}
