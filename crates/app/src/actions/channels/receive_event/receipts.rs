//! Read receipts of Messenger and Instagram: each covers all messages sent up to a time (channel
//! facts 4.2).

use confab_domain::channels::channel_message::{ChannelMessage, PartState};
use confab_domain::channels::reporting::ReportState;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_providers::{Contact, Status};

use super::statuses::{ReportedPart, reported, state_of};
use super::{EventFailure, Handling};

impl Handling<'_> {
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
            self.decide(rule).await?;
            last = Some(part);
        }
        match last {
            Some(part) => self.acknowledge(status, &part).await,
            None => Ok(()),
        }
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
}
