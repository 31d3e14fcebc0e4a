//! A bot takes a customer's room, or leaves it to people.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::service::answering;
use confab_domain::service::customer_room::CustomerRoom;
use confab_store::WriteError;

use super::desk::OwnedDesk;
use super::say::say;
use crate::services::Services;

/// The room as it is now.
pub(crate) async fn hand_over(
    services: &Services,
    app: &Arc<App>,
    room: RoomId,
    is_handled_by_bot: bool,
) -> Result<CustomerRoom, WriteError> {
    let desk = OwnedDesk::new(services, app, 0);
    let (question, its_desk) = (answering::hand_over_question(room), desk.clone());
    let served = say(services, app, question, move |facts, stamp| {
        answering::hand_over(&its_desk.desk(), facts, room, is_handled_by_bot, stamp)
    })
    .await?;
    Ok(served)
}
