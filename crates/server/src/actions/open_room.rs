//! Opens a group room.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::rooms::opening::{self, NewRoom, WantedRoom};
use confab_domain::rooms::room::Room;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// The room is known by the client's unique id, or by one made here.
pub(crate) async fn open_room(
    services: &Services,
    app: &App,
    wanted: WantedRoom,
) -> Result<Arc<Room>, WriteError> {
    let WantedRoom { unique_id, creator, name, avatar_url, options, participants } = wanted;
    let unique_id = unique_id.unwrap_or_else(ids::room_unique_id);
    let new = NewRoom { app: app.id, unique_id, name, avatar_url, options, participants };
    let question = opening::question(&new, creator.as_ref());
    let system_user = app.system_user;
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            opening::group(facts, &new, creator.as_ref(), system_user, stamp)
        })
        .await
}
