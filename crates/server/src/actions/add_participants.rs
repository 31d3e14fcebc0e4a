//! Brings users into a room.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::rooms::joining;
use confab_domain::rooms::room::RoomRef;
use confab_store::WriteError;

use crate::services::Services;

/// Who came in; those who were in the room already are left alone.
pub(crate) async fn add_participants(
    services: &Services,
    app: &App,
    room: RoomRef,
    users: Vec<UserId>,
) -> Result<Vec<Arc<User>>, WriteError> {
    let users: Vec<UserRef> = users.into_iter().map(UserRef::from).collect();
    let (question, system_user) = (joining::question(&room, &users), app.system_user);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            joining::add(facts, &room, &users, system_user, stamp)
        })
        .await
}
