//! Delivery states of sent messages, as the provider reports them.

use confab_delivery::carriers::provider::LOOKED;
use confab_domain::channels::channel_message::{ChannelMessage, MessageState, PartState};
use confab_domain::channels::direct_send::DirectSend;
use confab_domain::channels::reporting::{RecordDirectSend, ReportState};
use confab_domain::channels::window::{self, SendLater};
use confab_domain::ids::{DeliveryId, MessageId, RoomId};
use confab_domain::messages::acknowledging::Acknowledge;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;
use confab_providers::{Contact, Part, Provider, SendTag, State, Status, StatusOf};
use confab_runtime::clock;
use confab_store::WriteError;

use super::{EventFailure, Handling, customer, never};

/// A part of a message, to which a status refers.
pub(super) struct ReportedPart {
    pub(super) room: RoomId,
    pub(super) message: MessageId,
    pub(super) part: u32,
}

impl Handling<'_> {
    pub(super) async fn report(
        &self,
        by: Option<&Contact>,
        status: &Status,
    ) -> Result<(), EventFailure> {
        if let Some(part) = self.tagged(status.tag).await? {
            if self.sends_again(status, &part).await? {
                return Ok(());
            }
            let state = reported(status, &part);
            let named = self.named(status, &part, state.at);
            self.decide(ReportState { state, named }).await?;
            return self.acknowledge(status, &part).await;
        }
        let names = match &status.of {
            StatusOf::Messages(names) => names,
            StatusOf::SentTo { messages, addresses } => {
                return self.report_sent_to(messages, addresses, status).await;
            }
            StatusOf::Until(until) => {
                return self.report_until(customer(by)?, status, *until).await;
            }
        };
        // Check this first: a send that is recorded in between is then found by its name.
        let is_any_unrecorded = match by {
            Some(by) => self.has_unrecorded(by, Timestamp(i64::MAX)).await?,
            None => false,
        };
        let mut is_early = false;
        for name in names {
            let is_known = self.report_named(name, status).await?;
            is_early |= !is_known && is_any_unrecorded;
        }
        if is_early { Err(EventFailure::TooEarly) } else { Ok(()) }
    }

    /// Returns the message part that a tag identifies. A tag contains this server's own ids, so it
    /// works even before the provider's id of the part is recorded.
    pub(super) async fn tagged(
        &self,
        tag: Option<SendTag>,
    ) -> Result<Option<ReportedPart>, EventFailure> {
        let Some(SendTag { delivery, room, message }) = tag else { return Ok(None) };
        let (store, app) = (self.services.store(), self.linked.app.id);
        let Some((sent, ..)) = store.delivery(app, DeliveryId(delivery)).await? else {
            return Ok(None);
        };
        let part = Part::open(&sent.body).filter(|it| (it.room, it.message) == (room, message));
        Ok(part.map(|it| ReportedPart {
            room: RoomId(room),
            message: MessageId(message),
            part: it.place,
        }))
    }

    /// Returns the mapping from the provider's message id in the status to the part. It must be
    /// stored with the status, because the provider's answer to the send may have been lost.
    fn named(&self, status: &Status, of: &ReportedPart, at: Timestamp) -> Option<ChannelMessage> {
        let StatusOf::Messages(names) = &status.of else { return None };
        let external = self.external(names.first()?, of.part);
        let (room, message) = (of.room, of.message);
        Some(ChannelMessage { external, room, message, is_outgoing: true, at })
    }

    /// Applies a status to the room message that has this id at the provider. Returns whether there
    /// is such a message.
    async fn report_named(&self, name: &str, status: &Status) -> Result<bool, EventFailure> {
        let channel = self.linked.channel.id;
        let named = self.services.store().messages_named(channel, name).await?;
        if named.is_empty() {
            self.report_direct(name, status).await?;
            return Ok(false);
        }
        for it in named.iter().filter(|it| it.is_outgoing) {
            let part = ReportedPart { room: it.room, message: it.message, part: it.external.part };
            let state = reported(status, &part);
            let rule = ReportState { state, named: None };
            self.decide(rule).await?;
            self.acknowledge(status, &part).await?;
            // Instagram reports only the last message that was read.
            if self.linked.provider == Provider::Instagram {
                self.raise_until(status, it.room, it.at).await?;
            }
        }
        Ok(true)
    }

    /// Applies the status to each of the messages that was sent to one of the addresses. Fails if a
    /// message was sent to another address, because the report may be forged; the message keeps its
    /// status.
    async fn report_sent_to(
        &self,
        messages: &[String],
        addresses: &[String],
        status: &Status,
    ) -> Result<(), EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        let mut is_about_another = false;
        for name in messages {
            let named = store.messages_named(linked.channel.id, name).await?;
            for it in named.iter().filter(|it| it.is_outgoing) {
                let customer = store.customer_of_room(linked.app.id, it.room).await?;
                let Some((customer, _)) = customer else { continue };
                let known = store.identities(linked.channel.id, customer.key).await?;
                if !known.iter().any(|it| addresses.contains(&it.external_id)) {
                    is_about_another = true;
                    continue;
                }
                let part =
                    ReportedPart { room: it.room, message: it.message, part: it.external.part };
                let rule = ReportState { state: reported(status, &part), named: None };
                self.decide(rule).await?;
            }
        }
        match is_about_another {
            true => Err(never("The report is about an address to which the message was not sent.")),
            false => Ok(()),
        }
    }

    /// Records the status of a message that is in no room, because the app sent it directly or with
    /// another tool (D-0155).
    async fn report_direct(&self, name: &str, status: &Status) -> Result<(), EventFailure> {
        if self.linked.provider != Provider::Whatsapp {
            return Ok(());
        }
        let sent = DirectSend {
            channel: self.linked.channel.id,
            external_id: name.to_owned(),
            state: state_of(status),
            code: status.failure.as_ref().map(|it| it.code.clone()),
            reason: status.failure.as_ref().map(|it| it.why.clone()),
            at: clock::now(),
        };
        Ok(self.decide(RecordDirectSend(sent)).await?)
    }

    /// Resends a message part that WhatsApp rejected because the customer service window was
    /// closed, if the window is open according to the messages that this server received (channel
    /// facts 3.5). Returns whether the part will be resent or is already waiting. Fails with
    /// `TooEarly` while the first send is not recorded.
    async fn sends_again(
        &self,
        status: &Status,
        part: &ReportedPart,
    ) -> Result<bool, EventFailure> {
        let (store, app) = (self.services.store(), &self.linked.app);
        let says_closed = status.failure.as_ref().is_some_and(|it| it.is_window_closed);
        let Some(tag) = status.tag.filter(|_| says_closed) else { return Ok(false) };
        let last_inbound_at = store.last_inbound_at(part.room).await?;
        if !window::is_open(self.linked.channel.kind, last_inbound_at, clock::now()) {
            return Ok(false);
        }
        let id = part.message;
        let states = store.message_states(part.room, (id, id)).await?;
        // A part that arrived or failed is not resent.
        if states.iter().any(|it| it.part == part.part && it.state > MessageState::Sent) {
            return Ok(false);
        }
        let found = store.delivery(app.id, DeliveryId(tag.delivery)).await?;
        let Some((delivery, progress, attempts)) = found else { return Ok(false) };
        if progress.standing.is_waiting() {
            let is_recorded = attempts.iter().any(|it| it.error.is_none() || it.answer == LOOKED);
            return if is_recorded { Ok(true) } else { Err(EventFailure::TooEarly) };
        }
        if attempts.iter().filter(|it| it.error.is_none()).count() != 1 {
            return Ok(false);
        }
        let (delivery, lane) = (delivery.id, delivery.lane);
        self.decide(SendLater { delivery, lane }).await?;
        Ok(true)
    }

    /// Advances the customer's delivered and read positions in the room according to the status.
    pub(super) async fn acknowledge(
        &self,
        status: &Status,
        of: &ReportedPart,
    ) -> Result<(), EventFailure> {
        let message = Some(of.message);
        let (read, received) = match status.state {
            State::Read => (message, message),
            State::Delivered => (None, message),
            State::Sent | State::Failed => return Ok(()),
        };
        let (store, app) = (self.services.store(), &self.linked.app);
        let Some((customer, _)) = store.customer_of_room(app.id, of.room).await? else {
            return Ok(());
        };
        let by = UserRef::Of(Realm::Channel(self.linked.channel.id), customer.user_id.clone());
        let rule = Acknowledge { room: RoomRef::Id(of.room), by, read, received };
        match self.decide(rule).await {
            // Customers who left and messages that were deleted need no receipt.
            Ok(_) | Err(WriteError::Refused(_)) => Ok(()),
            Err(WriteError::Failed(error)) => Err(error.into()),
        }
    }
}

pub(super) fn state_of(status: &Status) -> MessageState {
    match status.state {
        State::Sent => MessageState::Sent,
        State::Delivered => MessageState::Delivered,
        State::Read => MessageState::Read,
        State::Failed => MessageState::Failed,
    }
}

pub(super) fn reported(status: &Status, of: &ReportedPart) -> PartState {
    PartState {
        room: of.room,
        message: of.message,
        part: of.part,
        state: state_of(status),
        code: status.failure.as_ref().map(|it| it.code.clone()),
        reason: status.failure.as_ref().map(|it| it.why.clone()),
        at: clock::now(),
    }
}
