//! Clears rooms for one participant.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::clearing;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::WriteError;

use crate::services::Services;

/// Clears all of them or none; for everybody else they stay as they are.
pub(crate) async fn clear_rooms(
    services: &Services,
    app: &App,
    by: UserRef,
    rooms: Vec<RoomRef>,
) -> Result<Vec<Arc<Room>>, WriteError> {
    let question = clearing::question(&rooms, &by);
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| clearing::clear(facts, &rooms, &by, stamp);
    services.store().decide(app.id, question, rule).await
}
