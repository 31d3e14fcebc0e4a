//! The messages of a conversation as agents read them, oldest first.

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;

use super::PageMeta;
use crate::body::Body;
use crate::fields::{self, PageSize};
use crate::request::request;

request! {
    /// Query of `GET /api/v2/customer_rooms/{room_id}/messages`. Without a message id, the newest
    /// messages are returned.
    pub struct ConversationFields {
        /// Id of a message, such as `meta.before` of another page; only older messages are
        /// returned.
        before: fields::MessageId, optional;
        /// Id of a message, such as `meta.after` of another page; only newer messages are returned.
        after: fields::MessageId, optional;
        /// Id of a message, which is returned together with older and newer ones.
        around: fields::MessageId, optional;
        /// Messages per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

request! {
    /// Body of a request to edit a message.
    pub struct CorrectionFields as "CorrectMessage" {
        /// New text of the message.
        message: fields::MessageText, required, example = "Hello!";
    }
}

/// Parses the new text of a message.
pub fn read_correction(body: &Body<'_>) -> Result<String, Refusal> {
    let CorrectionFields { message } = body.read()?;
    Ok(message)
}

/// The part of a conversation to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationPart {
    Newest,
    Before(MessageId),
    After(MessageId),
    Around(MessageId),
}

/// Parses the part of a conversation to return, and the maximum number of messages.
pub fn read_conversation(query: &Body<'_>) -> Result<(ConversationPart, usize), Refusal> {
    let ConversationFields { before, after, around, limit } = query.read()?;
    let part = match (before, after, around) {
        (None, None, None) => ConversationPart::Newest,
        (Some(id), None, None) => ConversationPart::Before(id),
        (None, Some(id), None) => ConversationPart::After(id),
        (None, None, Some(id)) => ConversationPart::Around(id),
        _ => {
            return Err(
                FieldProblem::new("before", "cannot be combined with after or around").into()
            );
        }
    };
    Ok((part, limit))
}

/// Returns the position of a page. `before` and `after` are the ids of its first and last message,
/// or `None` at the start or end of the conversation.
pub fn conversation_meta(
    before: Option<MessageId>,
    after: Option<MessageId>,
    size: usize,
) -> PageMeta {
    let shown = |id: MessageId| id.0.to_string();
    let (before, after) = (before.map(shown), after.map(shown));
    PageMeta { after, before, per_page: size, total_count: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_and_after_cannot_be_combined() {
        let read =
            |query: &str| read_conversation(&Body::from_form(query.as_bytes()).expect("fields"));
        assert_eq!(read("").expect("read"), (ConversationPart::Newest, limits::PAGE_DEFAULT));
        let after = (ConversationPart::After(MessageId(7)), 5);
        assert_eq!(read("after=7&limit=5").expect("read"), after);
        assert!(read("before=7&after=5").is_err());
        assert!(read("around=x").is_err());
    }
}
