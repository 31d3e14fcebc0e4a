//! The server itself chooses who serves a customer.

use confab_domain::ids::RoomId;
use confab_domain::service::allocating::{self, Allocation};
use confab_domain::service::customer_room::Candidate;
use confab_store::WriteError;

use super::say::say;
use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Because the customer is next in the queue: what became of it.
pub(crate) async fn allocate(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
) -> Result<Allocation, WriteError> {
    let (question, its) = (allocating::own_question(&desk.desk(), room, false), desk.clone());
    let served = say(services, desk.app(), question, move |facts, stamp| {
        allocating::assign_freest(&its.desk(), facts, room, stamp)
    })
    .await?;
    Ok(served)
}

/// Because somebody asks for it: who serves now.
pub(crate) async fn allocate_as_asked(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    ignores_availability: bool,
) -> Result<Candidate, WriteError> {
    let question = allocating::own_question(&desk.desk(), room, ignores_availability);
    let its = desk.clone();
    let served = say(services, desk.app(), question, move |facts, stamp| {
        allocating::assign_chosen(&its.desk(), facts, room, stamp)
    })
    .await?;
    Ok(served)
}
