//! A conversation as those who work in the app read it, oldest message first.

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;

use super::PageMeta;
use crate::body::Body;
use crate::fields::{self, PageSize};
use crate::request::request;

request! {
    /// `GET /api/v2/customer_rooms/{room_id}/messages`: the newest, or those near a message
    pub struct ConversationFields {
        /// Those before this message: `meta.before` of an earlier answer.
        before: fields::MessageId, optional;
        /// Those after this message: `meta.after` of an earlier answer.
        after: fields::MessageId, optional;
        /// This message and those on both sides of it.
        around: fields::MessageId, optional;
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

request! {
    /// A text as it shall read.
    pub struct CorrectionFields as "CorrectMessage" {
        /// The new text.
        message: fields::MessageText, required, example = "Hello!";
    }
}

/// Reads how a text shall read.
pub fn read_correction(body: &Body<'_>) -> Result<String, Refusal> {
    let CorrectionFields { message } = body.read()?;
    Ok(message)
}

/// Which messages of a conversation are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationPart {
    Newest,
    Before(MessageId),
    After(MessageId),
    Around(MessageId),
}

/// Reads which part of a conversation is wanted, and how many messages of it.
pub fn read_conversation(query: &Body<'_>) -> Result<(ConversationPart, usize), Refusal> {
    let ConversationFields { before, after, around, limit } = query.read()?;
    let part = match (before, after, around) {
        (None, None, None) => ConversationPart::Newest,
        (Some(id), None, None) => ConversationPart::Before(id),
        (None, Some(id), None) => ConversationPart::After(id),
        (None, None, Some(id)) => ConversationPart::Around(id),
        _ => return Err(FieldProblem::new("before", "excludes after and around").into()),
    };
    Ok((part, limit))
}

/// Where a page is in its conversation; nothing where the conversation begins or ends.
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
    fn one_part_is_asked_for_at_a_time() {
        let read =
            |query: &str| read_conversation(&Body::from_form(query.as_bytes()).expect("fields"));
        assert_eq!(read("").expect("read"), (ConversationPart::Newest, limits::PAGE_DEFAULT));
        let after = (ConversationPart::After(MessageId(7)), 5);
        assert_eq!(read("after=7&limit=5").expect("read"), after);
        assert!(read("before=7&after=5").is_err());
        assert!(read("around=x").is_err());
    }
}
