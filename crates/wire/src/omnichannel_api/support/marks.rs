//! Up to where somebody has seen a conversation.

use confab_domain::ids::MessageId;
use confab_domain::refusal::Refusal;

use crate::body::Body;
use crate::fields;
use crate::request::request;

request! {
    /// `POST /api/v2/customer_rooms/{room_id}/read`
    pub struct MarkReadFields as "MarkRead" {
        /// The last message that was read.
        comment_id: fields::MessageId, required, example = "371";
    }
}

/// Reads which message was read last.
pub fn read_mark(body: &Body<'_>) -> Result<MessageId, Refusal> {
    body.read().map(|fields: MarkReadFields| fields.comment_id)
}
