//! The server itself chooses who serves a customer.

use confab_domain::ids::RoomId;
use confab_domain::service::allocating::{Allocation, AssignChosen, AssignFreest};
use confab_domain::service::customer_room::Candidate;
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// Because the customer is next in the queue: what became of it.
pub(crate) async fn allocate(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
) -> Result<Allocation, WriteError> {
    desk.decide(services, AssignFreest { room }).await
}

/// Because somebody asks for it: who serves now.
pub(crate) async fn allocate_as_asked(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    ignores_availability: bool,
) -> Result<Candidate, WriteError> {
    desk.decide(services, AssignChosen { room, ignores_availability }).await
}
