//! Opens a channel, or finds it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::rooms::opening::{self, NewRoom, WantedRoom};
use confab_domain::rooms::room::{Room, RoomUniqueId};
use confab_store::WriteError;

use crate::services::Services;

/// Also adds who is missing; tells whether anything changed.
pub(crate) async fn open_channel(
    services: &Services,
    app: &App,
    unique_id: RoomUniqueId,
    wanted: WantedRoom,
) -> Result<(bool, Arc<Room>), WriteError> {
    let WantedRoom { name, avatar_url, options, participants, .. } = wanted;
    let new = NewRoom { app: app.id, unique_id, name, avatar_url, options, participants };
    let (question, system_user) = (opening::question(&new, None), app.system_user);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            opening::channel(facts, &new, system_user, stamp)
        })
        .await
}
