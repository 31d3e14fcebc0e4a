//! The position up to which an agent has read a conversation.

use confab_domain::ids::MessageId;
use confab_domain::refusal::Refusal;

use crate::body::Body;
use crate::fields;
use crate::request::request;

request! {
    /// Body of `POST /api/v2/customer_rooms/{room_id}/read`.
    pub struct MarkReadFields as "MarkRead" {
        /// Id of the last message that was read.
        comment_id: fields::MessageId, required, example = "371";
    }
}

/// Parses the id of the last message that was read.
pub fn read_mark(body: &Body<'_>) -> Result<MessageId, Refusal> {
    body.read().map(|fields: MarkReadFields| fields.comment_id)
}
