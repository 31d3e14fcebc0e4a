//! Receives customers' messages from channels of gateways.

use confab_domain::channels::channel::Channel;
use confab_domain::decision::principal::Principal;
use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::support::conversations::initiating::{AdmitVisitor, NewCustomerIds, Visitor};
use confab_domain::support::conversations::receiving::{
    FromChannel, ReceiveFromChannel, ReceivingOutcome,
};
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Posts a customer's message in the customer's room, creating both customer and room if necessary.
/// If the room was replaced by a new one since it was found, admits the customer again.
pub async fn receive_from_channel(
    decisions: &Decisions,
    by: &Principal,
    channel: &Channel,
    visitor: Visitor,
    draft: Draft,
    depth_before: u32,
) -> Result<ReceivingOutcome, WriteError> {
    for attempt in 1..=limits::ROOM_TRIES_MAX {
        let new = NewCustomerIds { token: ids::secret(), unique_id: ids::room_unique_id() };
        let (channel, visitor, identities) = (channel.clone(), visitor.clone(), Vec::new());
        let greet = AdmitVisitor { channel, visitor, new, draft: Some(draft.clone()), identities };
        let room = decisions.decide_after(depth_before, by, greet).await?.customer_room.room;
        let takes_any = attempt == limits::ROOM_TRIES_MAX;
        let receive = ReceiveFromChannel {
            room,
            draft: draft.clone(),
            takes_any,
            external: None,
            also_known_as: None,
            said_at: None,
            heard_in: room,
            is_quiet: false,
            ends: None,
        };
        let received = decisions.decide_after(depth_before, by, receive).await?;
        if let FromChannel::Received(received) = received {
            return Ok(*received);
        }
    }
    unreachable!("the last attempt accepts any state of the room")
}
