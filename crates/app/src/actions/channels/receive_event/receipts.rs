//! Echoes and read receipts of Messenger and Instagram. Each sent message comes back as an echo,
//! and a receipt covers all messages sent up to a time (channel facts 4.2).

use confab_domain::channels::channel_message::{ChannelMessage, MessageState, PartState};
use confab_domain::channels::reporting::ReportState;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::time::Timestamp;
use confab_providers::{Contact, Echo, InboundContent, InboundMessage, Provider, Status};

use super::{EventFailure, Handling, ReportedPart, reported, state_of};
use crate::clock;

impl Handling<'_> {
    /// Marks the message part that was echoed as sent, if this server sent it, even if the answer
    /// to the send was lost. Returns whether there is such a part.
    pub(super) async fn confirm(&self, to: &Contact, echo: &Echo) -> Result<bool, EventFailure> {
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
        self.services.decide(&self.linked.app, ReportState { state, named }).await?;
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

    /// Raises the state of all messages sent to the customer up to a time. Fails with `TooEarly` if
    /// the send of a message queued up to that time may not be recorded yet.
    pub(super) async fn report_until(
        &self,
        by: &Contact,
        status: &Status,
        until: Timestamp,
    ) -> Result<(), EventFailure> {
        let Some(room) = self.room_of(by).await? else { return Ok(()) };
        // Providers report whole milliseconds, so include all of the last one.
        let until = Timestamp(until.0.saturating_add(999));
        // Check this first: a send that is recorded in between is raised below.
        let is_early = self.has_unrecorded_in(room, until).await?;
        self.raise_until(status, room, until).await?;
        if is_early { Err(EventFailure::TooEarly) } else { Ok(()) }
    }

    /// Whether there is a message to the customer that was queued up to this time and whose send is
    /// not recorded yet.
    pub(super) async fn has_unrecorded(
        &self,
        by: &Contact,
        until: Timestamp,
    ) -> Result<bool, EventFailure> {
        match self.room_of(by).await? {
            Some(room) => self.has_unrecorded_in(room, until).await,
            None => Ok(false),
        }
    }

    async fn has_unrecorded_in(
        &self,
        room: RoomId,
        until: Timestamp,
    ) -> Result<bool, EventFailure> {
        let oldest = self.services.store().queued_parts(room, 1).await?;
        Ok(oldest.first().is_some_and(|part| part.at <= until))
    }

    /// Returns the customer's newest room.
    async fn room_of(&self, by: &Contact) -> Result<Option<RoomId>, EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        let (user_id, _) = self.identified(by).await?;
        let room = store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await?;
        Ok(room.map(|it| it.room))
    }

    /// Raises the state of all messages sent in the room up to a time, among the newest
    /// `RECEIPT_MESSAGES_MAX`. A state is never lowered.
    pub(super) async fn raise_until(
        &self,
        status: &Status,
        room: RoomId,
        until: Timestamp,
    ) -> Result<(), EventFailure> {
        let store = self.services.store();
        let sent = store.outgoing_until(room, until, limits::RECEIPT_MESSAGES_MAX).await?;
        let (Some(newest), Some(oldest)) = (sent.first(), sent.last()) else { return Ok(()) };
        let states = store.message_states(room, (oldest.message, newest.message)).await?;
        let rises = |it: &&ChannelMessage| {
            let is_its =
                |state: &&PartState| (state.message, state.part) == (it.message, it.external.part);
            let state = states.iter().find(is_its);
            state.is_some_and(|state| state.state.rises_to(state_of(status)))
        };
        let mut last = None;
        // Oldest first, in the order in which they were read.
        for it in sent.iter().rev().filter(rises) {
            let part = ReportedPart { room, message: it.message, part: it.external.part };
            let rule = ReportState { state: reported(status, &part), named: None };
            self.services.decide(&self.linked.app, rule).await?;
            last = Some(part);
        }
        match last {
            Some(part) => self.acknowledge(status, &part).await,
            None => Ok(()),
        }
    }
}

/// Maximum length in bytes of texts that both Messenger and Instagram deliver as one message.
const WHOLE_BYTES_MAX: usize = 1_000;

/// Maximum number of queued parts that are compared with an echo.
const QUEUED_MAX: usize = 20;

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
