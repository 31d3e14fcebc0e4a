//! Takes users out of a room.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::rooms::joining::RemoveParticipants;
use confab_domain::rooms::room::RoomRef;
use confab_store::WriteError;

use crate::services::Services;

/// Who left; those who were not in the room are left alone.
pub(crate) async fn remove_participants(
    services: &Services,
    app: &Arc<App>,
    room: RoomRef,
    users: Vec<UserId>,
) -> Result<Vec<Arc<User>>, WriteError> {
    let users = users.into_iter().map(UserRef::from).collect();
    services.decide(app, RemoveParticipants { room, users }).await
}
