//! The messages that a customer replies to.
//!
//! A reply refers to a message of its own room. A message of another room of the same customer is
//! quoted. A message of another customer is never shown, even if the event names it: a mail may
//! have been forwarded, or sent to several people.

use confab_domain::channels::channel_message::ChannelMessage;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::refusal::Refusal;
use confab_providers::{DraftContent, ReplyReference};
use confab_store::WriteError;

use super::{EventFailure, Handling};

impl Handling<'_> {
    /// Returns the message that has this id at the provider, in any room of the channel.
    pub(super) async fn message_named(
        &self,
        name: Option<&str>,
    ) -> Result<Option<ChannelMessage>, EventFailure> {
        let Some(name) = name else { return Ok(None) };
        let store = self.services.store();
        let named = store.messages_named(self.linked.channel.id, name).await?;
        Ok(named.into_iter().next())
    }

    /// Returns how the customer's room may refer to the message that the customer replied to.
    pub(super) async fn replied(
        &self,
        to: Option<ChannelMessage>,
        from: RoomId,
        customer: UserKey,
    ) -> Result<ReplyReference, EventFailure> {
        let Some(ChannelMessage { room, message, .. }) = to else {
            return Ok(ReplyReference::Nothing);
        };
        let Some(found) = self.message(room, message).await? else {
            return Ok(ReplyReference::Nothing);
        };
        if room == from {
            return Ok(ReplyReference::Message(message));
        }
        let served = self.services.store().customer_of_room(self.linked.app.id, room).await?;
        let is_theirs = served.is_some_and(|(served, _)| served.key == customer);
        Ok(if is_theirs { ReplyReference::Quotation(found.text) } else { ReplyReference::Nothing })
    }

    /// Decides a rule that posts the content. If the replied message is not in the room, such as
    /// after its deletion in the meantime, posts the content without the reference.
    pub(super) async fn decide_reply<R: Rule>(
        &self,
        content: DraftContent,
        rule: impl Fn(DraftContent) -> R,
    ) -> Result<R::Outcome, EventFailure> {
        match self.decide(rule(content.clone())).await {
            Err(WriteError::Refused(Refusal::RepliedMessageNotInRoom(_))) => {
                Ok(self.decide(rule(content.without_reply())).await?)
            }
            decided => Ok(decided?),
        }
    }
}
