//! Changes a group room.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::question::Question;
use confab_domain::rooms::opening::{self, RoomEdit};
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::WriteError;

use crate::services::Services;

/// Tells whether anything changed.
pub(crate) async fn update_room(
    services: &Services,
    app: &App,
    room: RoomRef,
    edit: RoomEdit,
) -> Result<(bool, Arc<Room>), WriteError> {
    let question = Question { rooms: vec![room.clone()], ..Question::default() };
    services
        .store()
        .decide(app.id, question, move |facts, stamp| opening::update(facts, &room, &edit, stamp))
        .await
}
