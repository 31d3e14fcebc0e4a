//! Edits and deletions of messages that a customer sent before.

use confab_domain::channels::channel_message::ChannelMessage;
use confab_domain::messages::deleting::DeleteMessages;
use confab_domain::messages::editing::EditMessage;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_providers::{Contact, DraftContent, InboundMessage, ReplyReference, Utterance};
use confab_store::WriteError;

use super::{EventFailure, Handling, never};

impl Handling<'_> {
    /// Edits the parts of a message; parts that were never received are posted.
    pub(super) async fn edit(
        &self,
        by: &Contact,
        key: &str,
        utterance: &Utterance,
    ) -> Result<(), EventFailure> {
        let store = self.services.store();
        let named = store.messages_named(self.linked.channel.id, &utterance.id).await?;
        if named.is_empty() {
            return self.post(by, utterance).await;
        }
        for (part, inbound) in (0_u32..).zip(&utterance.inbound_messages) {
            match named.iter().find(|it| it.external.part == part) {
                Some(named) => self.edit_part(by, key, inbound, named).await?,
                None => {
                    let external = self.external(&utterance.id, part);
                    self.post_part(by, inbound, external, None, false).await?;
                }
            }
        }
        Ok(())
    }

    /// Edits one message. If that is impossible, such as a file in place of a text, the new content
    /// is posted as a reply to it.
    async fn edit_part(
        &self,
        by: &Contact,
        key: &str,
        inbound: &InboundMessage,
        named: &ChannelMessage,
    ) -> Result<(), EventFailure> {
        let Some(message) = self.message(named.room, named.message).await? else {
            return Err(never("The edited message was deleted."));
        };
        if self.try_edit(by, inbound, named, &message).await? {
            return Ok(());
        }
        let external = self.external(key, named.external.part);
        self.post_part(by, inbound, external, Some(named.clone()), false).await
    }

    /// Edits the message if that is possible. Returns whether it was edited.
    async fn try_edit(
        &self,
        by: &Contact,
        inbound: &InboundMessage,
        named: &ChannelMessage,
        message: &Message,
    ) -> Result<bool, EventFailure> {
        let content = self.edited(inbound, named, message).await?;
        if named.is_outgoing || content.payload.kind() != message.kind {
            return Ok(false);
        }
        let (user_id, _) = self.identified(by).await?;
        let (room, id) = (named.room, UniqueId::of(named.room, named.message));
        let edit = EditMessage { room, message: id, draft: self.draft(user_id, content) };
        match self.decide(edit).await {
            Ok(_) => Ok(true),
            Err(WriteError::Refused(_)) => Ok(false),
            Err(WriteError::Failed(error)) => Err(error.into()),
        }
    }

    /// Returns the new content of a message. A text message stays a text, even if the edit adds a
    /// reply.
    async fn edited(
        &self,
        inbound: &InboundMessage,
        named: &ChannelMessage,
        message: &Message,
    ) -> Result<DraftContent, EventFailure> {
        let to = self.message_named(inbound.reply_to.as_deref()).await?;
        let replied = match self.replied(to, named.room, message.sender).await? {
            ReplyReference::Message(_) if message.kind == MessageKind::Text => {
                ReplyReference::Nothing
            }
            replied => replied,
        };
        self.content(inbound, message.sender, &replied).await
    }

    /// Deletes the parts of a customer's message that are not deleted yet.
    pub(super) async fn delete(&self, name: &str) -> Result<(), EventFailure> {
        let store = self.services.store();
        let named = store.messages_named(self.linked.channel.id, name).await?;
        for it in named.iter().filter(|it| !it.is_outgoing) {
            let ids = vec![UniqueId::of(it.room, it.message)];
            match self.decide(DeleteMessages { ids }).await {
                Ok(_) | Err(WriteError::Refused(Refusal::MessagesNotFound(_))) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
