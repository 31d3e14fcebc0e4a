//! What Messenger and Instagram tell of what we said: each message comes back as an echo, and a
//! customer has read all that they were sent up to some time (channel facts 4.2, D-0137, D-0143).

use confab_domain::channels::channel_message::{ChannelMessage, MessageState, PartState};
use confab_domain::channels::reporting::ReportState;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::time::Timestamp;
use confab_wire::channels::{Contact, Content, Echo, InboundMessage, Provider, Status};

use super::{Handling, ReportedPart, reported, state_of};
use crate::clock;
use crate::delivery::carriers::provider::NotReceived;

impl Handling<'_> {
    /// Whether it is an echo of what we sent ourselves. It is sent then, whatever became of the
    /// answer to our request, and its name is known.
    pub(super) async fn confirm(&self, to: &Contact, echo: &Echo) -> Result<bool, NotReceived> {
        let part = match self.tagged(echo.tag).await? {
            Some(part) => part,
            None => match self.recognized(to, echo).await? {
                Some(part) => part,
                None => return Ok(false),
            },
        };
        let ReportedPart { room, message, part } = part;
        let now = clock::now();
        // By the service's clock, as what is read is told later.
        let at = self.said_at.unwrap_or(now).min(now);
        let external = self.external(&echo.told.id, part);
        let named = Some(ChannelMessage { external, room, message, is_outgoing: true, at });
        let (state, code, reason) = (MessageState::Sent, None, None);
        let state = PartState { room, message, part, state, code, reason, at: now };
        self.services.decide(&self.linked.app, ReportState { state, named }).await?;
        Ok(true)
    }

    /// Not every echo brings our name of it. One that says what waits to be sent to this customer,
    /// and that nobody has a name for yet, is of that: its answer is on the way, or lost.
    async fn recognized(
        &self,
        to: &Contact,
        echo: &Echo,
    ) -> Result<Option<ReportedPart>, NotReceived> {
        let (store, linked) = (self.services.store(), self.linked);
        // WhatsApp brings no echo of what came from here.
        if linked.provider == Provider::Whatsapp
            || !store.messages_named(linked.channel.id, &echo.told.id).await?.is_empty()
        {
            return Ok(None);
        }
        let Some(room) = self.room_of(to).await? else { return Ok(None) };
        let Some(saying) = echo.told.inbound_messages.first() else { return Ok(None) };
        for state in store.queued_parts(room, QUEUED_MAX).await? {
            let said = self.message(room, state.message).await?;
            if said.is_some_and(|said| is_said_by(saying, &said)) {
                let PartState { room, message, part, .. } = state;
                return Ok(Some(ReportedPart { room, message, part }));
            }
        }
        Ok(None)
    }

    /// Raises the state of everything that the customer was sent up to a time. Fails with
    /// `TooEarly` while a send of before that time may not be recorded yet.
    pub(super) async fn report_until(
        &self,
        by: &Contact,
        status: &Status,
        until: Timestamp,
    ) -> Result<(), NotReceived> {
        let Some(room) = self.room_of(by).await? else { return Ok(()) };
        // Providers report milliseconds: the whole of the last one counts.
        let until = Timestamp(until.0.saturating_add(999));
        // Asked first: a send that is recorded in between is raised below.
        let is_early = self.has_unrecorded_in(room, until).await?;
        self.raise_until(status, room, until).await?;
        if is_early { Err(NotReceived::TooEarly) } else { Ok(()) }
    }

    /// Whether a send to the customer, queued up to this time, is not recorded.
    pub(super) async fn has_unrecorded(
        &self,
        by: &Contact,
        until: Timestamp,
    ) -> Result<bool, NotReceived> {
        match self.room_of(by).await? {
            Some(room) => self.has_unrecorded_in(room, until).await,
            None => Ok(false),
        }
    }

    async fn has_unrecorded_in(&self, room: RoomId, until: Timestamp) -> Result<bool, NotReceived> {
        let oldest = self.services.store().queued_parts(room, 1).await?;
        Ok(oldest.first().is_some_and(|part| part.at <= until))
    }

    /// The newest room of a customer.
    async fn room_of(&self, by: &Contact) -> Result<Option<RoomId>, NotReceived> {
        let (store, linked) = (self.services.store(), self.linked);
        let (user_id, _) = self.identified(by).await?;
        let room = store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await?;
        Ok(room.map(|it| it.room))
    }

    /// The same in a room that is known. The newest are looked at, and those that are so far
    /// already are left.
    pub(super) async fn raise_until(
        &self,
        status: &Status,
        room: RoomId,
        until: Timestamp,
    ) -> Result<(), NotReceived> {
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
        // The oldest first, as they were read.
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

/// Texts up to this long are sent as one by both services.
const WHOLE_BYTES_MAX: usize = 1_000;

/// So many parts that wait are compared with an echo.
const QUEUED_MAX: usize = 20;

/// Whether an echo is of this message, or of a piece of it. Of buttons and cards an echo tells
/// only that there are some.
fn is_said_by(echo: &InboundMessage, said: &Message) -> bool {
    use MessageKind::{FileAttachment, Reply, Text};
    match &echo.content {
        Content::Ready { text, .. } if text.starts_with("unsupported message (template") => {
            !matches!(said.kind, Text | Reply | FileAttachment)
        }
        Content::Ready { text, .. } if text.trim().is_empty() => false,
        // Only what is too long for one goes out in pieces: others may say a few of the same words.
        Content::Ready { text, .. } if said.text.len() > WHOLE_BYTES_MAX => {
            said.text.contains(text.trim())
        }
        Content::Ready { text, .. } => text.trim() == said.text.trim(),
        Content::File(_) => said.kind == FileAttachment,
        Content::LongText(text) => text.contains(said.text.as_str()),
    }
}
