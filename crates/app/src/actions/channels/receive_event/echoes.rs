//! Echoes: messages of the business, sent by this server or with another tool. Messenger and
//! Instagram echo each sent message (channel facts 4.2).

use confab_domain::channels::channel_message::{ChannelMessage, MessageState, PartState};
use confab_domain::channels::reporting::ReportState;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::support::conversations::echoing::EchoMessage;
use confab_providers::{Contact, Echo, InboundContent, InboundMessage, Provider};
use confab_runtime::clock;

use super::statuses::ReportedPart;
use super::{EventFailure, Handling};

/// Maximum length in bytes of texts that both Messenger and Instagram deliver as one message.
const WHOLE_BYTES_MAX: usize = 1_000;

/// Maximum number of queued parts that are compared with an echo.
const QUEUED_MAX: usize = 20;

impl Handling<'_> {
    /// Posts a message that the business sent with another tool. An echo of a message of this
    /// server only confirms that the message was sent.
    pub(super) async fn echo(&self, to: &Contact, echo: &Echo) -> Result<(), EventFailure> {
        if self.confirm(to, echo).await? {
            return Ok(());
        }
        for (part, inbound) in (0_u32..).zip(&echo.utterance.inbound_messages) {
            let external = self.external(&echo.utterance.id, part);
            if self.is_known(&external).await? {
                continue;
            }
            let admitted = self.admit(to, None).await?;
            let replied = self.message_named(inbound.reply_to.as_deref()).await?;
            let (room, customer) = (admitted.customer_room.room, admitted.customer.key);
            let replied = self.replied(replied, room, customer).await?;
            let content = self.content(inbound, customer, &replied).await?;
            let echoed = |content| EchoMessage {
                room,
                draft: self.draft(admitted.customer.user_id.clone(), content),
                external: external.clone(),
            };
            self.decide_reply(content, echoed).await?;
        }
        Ok(())
    }

    /// Marks the message part that was echoed as sent, if this server sent it, even if the answer
    /// to the send was lost. Returns whether there is such a part.
    async fn confirm(&self, to: &Contact, echo: &Echo) -> Result<bool, EventFailure> {
        let part = match self.tagged(echo.tag).await? {
            Some(part) => part,
            None => match self.recognized(to, echo).await? {
                Some(part) => part,
                None => return Ok(false),
            },
        };
        let ReportedPart { room, message, part } = part;
        let now = clock::now();
        // By the provider's clock, like the times of later read receipts.
        let at = self.said_at.unwrap_or(now).min(now);
        let external = self.external(&echo.utterance.id, part);
        let named = Some(ChannelMessage { external, room, message, is_outgoing: true, at });
        let (state, code, reason) = (MessageState::Sent, None, None);
        let state = PartState { room, message, part, state, code, reason, at: now };
        self.decide(ReportState { state, named }).await?;
        Ok(true)
    }

    /// Returns the queued message part that an echo without a tag belongs to: one to this customer,
    /// with the echoed content and without a recorded id at the provider. The provider's answer to
    /// its send has not arrived yet, or was lost.
    async fn recognized(
        &self,
        to: &Contact,
        echo: &Echo,
    ) -> Result<Option<ReportedPart>, EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        // WhatsApp sends no echoes of this server's own messages.
        if linked.provider == Provider::Whatsapp
            || !store.messages_named(linked.channel.id, &echo.utterance.id).await?.is_empty()
        {
            return Ok(None);
        }
        let Some(room) = self.room_of(to).await? else { return Ok(None) };
        let Some(inbound) = echo.utterance.inbound_messages.first() else { return Ok(None) };
        for state in store.queued_parts(room, QUEUED_MAX).await? {
            let found = self.message(room, state.message).await?;
            if found.is_some_and(|message| is_echo_of(inbound, &message)) {
                let PartState { room, message, part, .. } = state;
                return Ok(Some(ReportedPart { room, message, part }));
            }
        }
        Ok(None)
    }
}

/// Whether an echo repeats this message, or one piece of its text. Echoes of buttons and cards do
/// not contain their text.
fn is_echo_of(echo: &InboundMessage, message: &Message) -> bool {
    use MessageKind::{FileAttachment, Reply, Text};
    match &echo.content {
        InboundContent::Ready { text, .. } if text.starts_with("unsupported message (template") => {
            !matches!(message.kind, Text | Reply | FileAttachment)
        }
        InboundContent::Ready { text, .. } if text.trim().is_empty() => false,
        // Only longer texts are sent in pieces; a shorter text could contain the same words by
        // chance.
        InboundContent::Ready { text, .. } if message.text.len() > WHOLE_BYTES_MAX => {
            message.text.contains(text.trim())
        }
        InboundContent::Ready { text, .. } => text.trim() == message.text.trim(),
        InboundContent::File(_) => message.kind == FileAttachment,
        InboundContent::LongText(text) => text.contains(message.text.as_str()),
    }
}
