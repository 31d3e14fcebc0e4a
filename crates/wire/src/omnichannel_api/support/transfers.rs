//! What somebody wants done with a conversation that they look at (D-0117, D-0118).

use confab_domain::ids::AgentId;
use confab_domain::refusal::Refusal;

use crate::body::Body;
use crate::fields::{Flag, Id};
use crate::request::request;

request! {
    /// `POST /api/v2/customer_rooms/{room_id}/transfer`
    pub struct TransferFields as "Transfer" {
        /// Who serves from now on; null or absent: nobody, the customer waits again.
        agent_id: Id, optional;
    }
}

/// Reads to whom.
pub fn read_transfer(body: &Body<'_>) -> Result<Option<AgentId>, Refusal> {
    body.read().map(|fields: TransferFields| fields.agent_id.map(AgentId))
}

request! {
    /// `POST /api/v2/customer_rooms/{room_id}/bot`
    pub struct BotSwitchFields as "BotSwitch" {
        /// Whether a bot answers from now on; false: people do.
        is_on: Flag, required;
    }
}

/// Reads whether a bot shall answer.
pub fn read_bot_switch(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: BotSwitchFields| fields.is_on)
}
