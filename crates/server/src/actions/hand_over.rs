//! A bot takes a customer's room, or leaves it to people.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::service::answering::HandOver;
use confab_domain::service::customer_room::CustomerRoom;
use confab_store::WriteError;

use crate::services::Services;

/// The room as it is now.
pub(crate) async fn hand_over(
    services: &Services,
    app: &Arc<App>,
    room: RoomId,
    is_handled_by_bot: bool,
) -> Result<CustomerRoom, WriteError> {
    services.decide(app, HandOver { room, is_handled_by_bot }).await
}
