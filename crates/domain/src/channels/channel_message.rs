//! Messages with their ids at a provider, and their delivery state.

use crate::ids::{ChannelId, MessageId, RoomId};
use crate::time::Timestamp;

/// A provider's id of a message. If one message at the provider is stored as several messages, they
/// have different part numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalRef {
    pub channel: ChannelId,
    pub external_id: String,
    /// Number of the part, from 0.
    pub part: u32,
}

/// A stored message that has an id at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMessage {
    pub external: ExternalRef,
    pub room: RoomId,
    pub message: MessageId,
    /// Whether the message was sent to the customer rather than by them.
    pub is_outgoing: bool,
    pub at: Timestamp,
}

/// Delivery state of an outgoing message. Monotonic, except that a failed message can be sent
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageState {
    /// The message waits to be sent.
    Queued,
    /// The provider accepted the message.
    Sent,
    /// The message is on the customer's device.
    Delivered,
    /// The customer has seen the message.
    Read,
    /// The message will not reach the customer.
    Failed,
}

impl MessageState {
    /// All states in ascending order.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Sent, Self::Delivered, Self::Read, Self::Failed];

    /// Returns the public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Failed => "failed",
        }
    }

    /// Returns the stored number. Later states have greater numbers.
    pub fn number(self) -> i64 {
        match self {
            Self::Queued => 0,
            Self::Sent => 1,
            Self::Delivered => 2,
            Self::Read => 3,
            Self::Failed => 9,
        }
    }

    /// Returns the state with this stored number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }

    /// Whether a reported state replaces this one. A failure reported after the delivery is
    /// ignored.
    pub fn rises_to(self, next: Self) -> bool {
        match (self, next) {
            (Self::Failed, _) | (Self::Delivered | Self::Read, Self::Failed) => false,
            _ => next > self,
        }
    }
}

/// The delivery state of one part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartState {
    pub room: RoomId,
    pub message: MessageId,
    /// Number of the part, from 0.
    pub part: u32,
    pub state: MessageState,
    /// The provider's error code, if the part failed.
    pub code: Option<String>,
    /// Description of the failure, or a note that the outcome is unknown.
    pub reason: Option<String>,
    pub at: Timestamp,
}

/// Returns the part whose state is the state of the whole message: a failed part, or else the least
/// advanced one.
pub fn whole_state(parts: &[PartState]) -> Option<&PartState> {
    let failed = parts.iter().find(|part| part.state == MessageState::Failed);
    failed.or_else(|| parts.iter().min_by_key(|part| part.state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_only_advance_and_delivered_messages_do_not_fail() {
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
    fn a_message_has_the_state_of_its_least_advanced_or_failed_part() {
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
