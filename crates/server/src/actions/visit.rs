//! Changes rooms as their clients want it (D-0045).

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::user::{User, UserRef};
use confab_domain::rooms::opening::{NewRoom, RoomEdit, WantedRoom};
use confab_domain::rooms::room::{Room, RoomRef, RoomUniqueId};
use confab_domain::rooms::visiting;
use confab_store::WriteError;

use crate::services::Services;

/// Who came in.
pub(crate) async fn add_as(
    services: &Services,
    app: &App,
    by: UserRef,
    room: RoomRef,
    users: Vec<UserRef>,
) -> Result<Vec<Arc<User>>, WriteError> {
    let (question, system_user) = (visiting::question(&room, &by, &users), app.system_user);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            visiting::add(facts, &room, &by, &users, system_user, stamp)
        })
        .await
}

/// Who left.
pub(crate) async fn remove_as(
    services: &Services,
    app: &App,
    by: UserRef,
    room: RoomRef,
    users: Vec<UserRef>,
) -> Result<Vec<Arc<User>>, WriteError> {
    let question = visiting::question(&room, &by, &users);
    services
        .store()
        .decide(app.id, question, move |facts, _| visiting::remove(facts, &room, &by, &users))
        .await
}

/// Tells whether anything changed.
pub(crate) async fn edit_as(
    services: &Services,
    app: &App,
    by: UserRef,
    room: RoomRef,
    edit: RoomEdit,
) -> Result<(bool, Arc<Room>), WriteError> {
    let question = visiting::question(&room, &by, &[]);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            visiting::update(facts, &room, &by, &edit, stamp)
        })
        .await
}

/// The room of this name, or a new channel; tells whether anything changed.
pub(crate) async fn open_by_name(
    services: &Services,
    app: &App,
    by: UserRef,
    unique_id: RoomUniqueId,
    wanted: WantedRoom,
) -> Result<(bool, Arc<Room>), WriteError> {
    let WantedRoom { name, avatar_url, options, participants, .. } = wanted;
    let new = NewRoom { app: app.id, unique_id, name, avatar_url, options, participants };
    let (question, system_user) = (visiting::naming_question(&new), app.system_user);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            visiting::by_name(facts, &new, &by, system_user, stamp)
        })
        .await
}
