//! Posts a system event: the app's System user speaks (spec 2.4).

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::messages::message::{Draft, Said};
use confab_domain::messages::posting::PostSystemEvent;
use confab_domain::rooms::room::RoomRef;
use confab_store::WriteError;

use crate::services::Services;

/// Stores the event at the end of its room.
pub(crate) async fn post_system_event(
    services: &Services,
    app: &Arc<App>,
    room: RoomRef,
    draft: Draft,
) -> Result<Said, WriteError> {
    services.decide(app, PostSystemEvent { room, draft }).await
}
