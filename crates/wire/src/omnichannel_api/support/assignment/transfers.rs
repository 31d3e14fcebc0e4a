//! Transfer of a conversation to an agent or the bot (design/support).

use confab_domain::ids::AgentId;
use confab_domain::refusal::Refusal;

use crate::body::Body;
use crate::fields::{Flag, Id};
use crate::request::request;

request! {
    /// Body of `POST /api/v2/customer_rooms/{room_id}/transfer`.
    pub struct TransferFields as "Transfer" {
        /// Id of the agent to assign. If null or absent, the customer waits for an agent again.
        agent_id: Id, optional;
    }
}

/// Parses the agent to assign.
pub fn read_transfer(body: &Body<'_>) -> Result<Option<AgentId>, Refusal> {
    body.read().map(|fields: TransferFields| fields.agent_id.map(AgentId))
}

request! {
    /// Body of `POST /api/v2/customer_rooms/{room_id}/bot`.
    pub struct BotSwitchFields as "BotSwitch" {
        /// `true` if the bot handles the room from now on, `false` if agents do.
        is_on: Flag, required;
    }
}

/// Parses whether the bot handles the room.
pub fn read_bot_switch(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: BotSwitchFields| fields.is_on)
}
