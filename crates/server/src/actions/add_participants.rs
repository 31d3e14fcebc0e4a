//! Brings users into a room.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::rooms::joining::AddParticipants;
use confab_domain::rooms::room::RoomRef;
use confab_store::WriteError;

use crate::services::Services;

/// Who came in; those who were in the room already are left alone.
pub(crate) async fn add_participants(
    services: &Services,
    app: &Arc<App>,
    room: RoomRef,
    users: Vec<UserId>,
) -> Result<Vec<Arc<User>>, WriteError> {
    let users = users.into_iter().map(UserRef::from).collect();
    services.decide(app, AddParticipants { room, users }).await
}
