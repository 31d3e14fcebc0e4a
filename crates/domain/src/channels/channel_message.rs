//! Messages as services know them, and how far one is on its way to a customer.

use crate::ids::{ChannelId, MessageId, RoomId};
use crate::time::Timestamp;

/// A message by the name that a service gave it. What a service says at once may be several
/// messages here: each is a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalRef {
    pub channel: ChannelId,
    pub external_id: String,
    /// The first is 0.
    pub part: u32,
}

/// A message of ours that a service knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMessage {
    pub external: ExternalRef,
    pub room: RoomId,
    pub message: MessageId,
    /// It was said to the customer, not by them.
    pub is_outgoing: bool,
    pub at: Timestamp,
}

/// How far something said to a customer is. It only rises; what failed has failed, unless it is
/// sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageState {
    /// It waits to be sent.
    Queued,
    /// The service has it.
    Sent,
    /// It is on the customer's device.
    Delivered,
    /// They have seen it.
    Read,
    /// It will not reach them.
    Failed,
}

impl MessageState {
    /// All of them, in the order in which they rise.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Sent, Self::Delivered, Self::Read, Self::Failed];

    /// As it is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Failed => "failed",
        }
    }

    /// As it is stored: what comes later is greater.
    pub fn number(self) -> i64 {
        match self {
            Self::Queued => 0,
            Self::Sent => 1,
            Self::Delivered => 2,
            Self::Read => 3,
            Self::Failed => 9,
        }
    }

    /// Reads the stored number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }

    /// Whether what a service reports is news. A failure that is told after the customer had it is
    /// none.
    pub fn rises_to(self, next: Self) -> bool {
        match (self, next) {
            (Self::Failed, _) | (Self::Delivered | Self::Read, Self::Failed) => false,
            _ => next > self,
        }
    }
}

/// How far one part of a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartState {
    pub room: RoomId,
    pub message: MessageId,
    /// The first is 0.
    pub part: u32,
    pub state: MessageState,
    /// What the service calls the failure.
    pub code: Option<String>,
    /// The failure in plain words, or that the outcome is not known.
    pub reason: Option<String>,
    pub at: Timestamp,
}

/// The state of a message of several parts: a failed one, else the one that is least far.
pub fn whole_state(parts: &[PartState]) -> Option<&PartState> {
    let failed = parts.iter().find(|part| part.state == MessageState::Failed);
    failed.or_else(|| parts.iter().min_by_key(|part| part.state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_only_rise_and_what_arrived_does_not_fail() {
        use MessageState::{Delivered, Failed, Queued, Read, Sent};
        for (before, after) in [(Queued, Sent), (Sent, Read), (Sent, Failed), (Queued, Failed)] {
            assert!(before.rises_to(after), "{before:?} {after:?}");
        }
        for (before, after) in
            [(Delivered, Sent), (Read, Failed), (Delivered, Failed), (Failed, Sent), (Sent, Sent)]
        {
            assert!(!before.rises_to(after), "{before:?} {after:?}");
        }
        for state in MessageState::ALL {
            assert_eq!(MessageState::from_number(state.number()), Some(state));
        }
    }

    #[test]
    fn a_message_is_as_far_as_its_last_part_and_failed_with_any() {
        let part = |state| PartState {
            room: RoomId(1),
            message: MessageId(1),
            part: 0,
            state,
            code: None,
            reason: None,
            at: Timestamp(0),
        };
        let of = |states: &[MessageState]| {
            let parts: Vec<_> = states.iter().map(|state| part(*state)).collect();
            whole_state(&parts).map(|it| it.state)
        };
        use MessageState::{Failed, Queued, Read, Sent};
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[Read, Sent, Queued]), Some(Queued));
        assert_eq!(of(&[Sent, Failed, Queued]), Some(Failed));
    }
}
