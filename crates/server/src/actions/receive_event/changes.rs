//! Changes of messages that a customer sent before: edits and deletions.

use confab_domain::channels::channel_message::ChannelMessage;
use confab_domain::messages::deleting::DeleteMessages;
use confab_domain::messages::editing::EditMessage;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;
use confab_wire::channels::{Contact, DraftContent, InboundMessage, ReplyReference, Utterance};

use super::{Handling, never};
use crate::delivery::carriers::provider::NotReceived;

impl Handling<'_> {
    /// Edits the parts of a message; parts that were never received are posted.
    pub(super) async fn edit(
        &self,
        by: &Contact,
        key: &str,
        told: &Utterance,
    ) -> Result<(), NotReceived> {
        let store = self.services.store();
        let named = store.messages_named(self.linked.channel.id, &told.id).await?;
        if named.is_empty() {
            return self.say(by, told).await;
        }
        for (part, saying) in (0_u32..).zip(&told.inbound_messages) {
            match named.iter().find(|it| it.external.part == part) {
                Some(named) => self.edit_part(by, key, saying, named).await?,
                None => {
                    let external = self.external(&told.id, part);
                    self.say_part(by, saying, external, None, false).await?;
                }
            }
        }
        Ok(())
    }

    /// Edits one message. What it cannot become, such as a file in place of a text, is posted as a
    /// reply to it.
    async fn edit_part(
        &self,
        by: &Contact,
        key: &str,
        saying: &InboundMessage,
        named: &ChannelMessage,
    ) -> Result<(), NotReceived> {
        let Some(message) = self.message(named.room, named.message).await? else {
            return Err(never("the message that it changes was deleted"));
        };
        if self.is_edited(by, saying, named, &message).await? {
            return Ok(());
        }
        let external = self.external(key, named.external.part);
        self.say_part(by, saying, external, Some(named.clone()), false).await
    }

    /// Whether the message could be edited.
    async fn is_edited(
        &self,
        by: &Contact,
        saying: &InboundMessage,
        named: &ChannelMessage,
        message: &Message,
    ) -> Result<bool, NotReceived> {
        let content = self.edited(saying, named, message).await?;
        if named.is_outgoing || content.payload.kind() != message.kind {
            return Ok(false);
        }
        let (user_id, _) = self.identified(by).await?;
        let (room, id) = (named.room, UniqueId::of(named.room, named.message));
        let edit = EditMessage { room, message: id, draft: self.draft(user_id, content) };
        match self.services.decide(&self.linked.app, edit).await {
            Ok(_) => Ok(true),
            Err(WriteError::Refused(_)) => Ok(false),
            Err(WriteError::Failed(error)) => Err(error.into()),
        }
    }

    /// The new content of a message. A text stays a text, whatever it replies to by now.
    async fn edited(
        &self,
        saying: &InboundMessage,
        named: &ChannelMessage,
        message: &Message,
    ) -> Result<DraftContent, NotReceived> {
        let to = self.message_named(saying.reply_to.as_deref()).await?;
        let replied = match self.replied(to, named.room, message.sender).await? {
            ReplyReference::Message(_) if message.kind == MessageKind::Text => {
                ReplyReference::Nothing
            }
            replied => replied,
        };
        self.content(saying, message.sender, &replied).await
    }

    /// Deletes every part of a message of the customer that is not deleted yet.
    pub(super) async fn delete(&self, name: &str) -> Result<(), NotReceived> {
        let store = self.services.store();
        let named = store.messages_named(self.linked.channel.id, name).await?;
        for it in named.iter().filter(|it| !it.is_outgoing) {
            let ids = vec![UniqueId::of(it.room, it.message)];
            match self.services.decide(&self.linked.app, DeleteMessages { ids }).await {
                Ok(_) | Err(WriteError::Refused(Refusal::MessagesNotFound(_))) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
