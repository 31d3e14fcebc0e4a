//! Integer ids. All are below 2^53, because JavaScript clients read them as numbers (D-0013).

use std::fmt;

use crate::time::Timestamp;

macro_rules! integer_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

integer_id!(
    /// An app's integer inside this server; callers name apps by `AppCode`.
    AppId
);
integer_id!(
    /// A user's integer; callers name users by `UserId`.
    UserKey
);
integer_id!(
    /// A room's integer.
    RoomId
);
integer_id!(
    /// A message's integer. Within a room it rises strictly with time.
    MessageId
);
integer_id!(
    /// An event's integer; that of a message is the message's.
    EventId
);
integer_id!(
    /// An agent's integer.
    AgentId
);

integer_id!(
    /// An endpoint's integer: where an app wants to be told of one kind of notice.
    EndpointId
);
integer_id!(
    /// A delivery's integer. Within a lane it rises.
    DeliveryId
);

integer_id!(
    /// A division's integer.
    DivisionId
);
integer_id!(
    /// A canned reply's integer.
    CannedReplyId
);

integer_id!(
    /// A channel's integer.
    ChannelId
);
integer_id!(
    /// A session's integer.
    SessionId
);
integer_id!(
    /// The integer of an entry of a room's trail.
    TrailId
);
integer_id!(
    /// The integer of a customer's property.
    PropertyId
);
integer_id!(
    /// A tag's integer.
    TagId
);
integer_id!(
    /// A note's integer.
    NoteId
);
integer_id!(
    /// The integer of an entry of the audit.
    AuditId
);
integer_id!(
    /// A sign-in's integer.
    SignInId
);

/// The first integer that is no id.
pub const ID_END: i64 = 1 << 53;

/// Bits of an id below its milliseconds: 6 for the sequence, then 6 for the node.
pub const ID_LOW_BITS: u32 = 12;

/// 2024-01-01T00:00:00Z in Unix milliseconds: where the milliseconds of ids start.
pub const ID_EPOCH_MS: i64 = 1_704_067_200_000;

impl EventId {
    /// The number of the node that made it.
    pub fn node(self) -> i64 {
        self.0 & 63
    }

    /// When it was made, to the millisecond.
    pub fn made_at(self) -> Timestamp {
        Timestamp(((self.0 >> ID_LOW_BITS) + ID_EPOCH_MS).saturating_mul(1000))
    }

    /// The least id that can be made at this time.
    pub fn first_at(time: Timestamp) -> Self {
        Self(DeliveryId::first_at(time).0)
    }
}

impl DeliveryId {
    /// The least id that can be made at this time: what is made earlier has a lower one.
    pub fn first_at(time: Timestamp) -> Self {
        let ms = time.unix_ms().saturating_sub(ID_EPOCH_MS).clamp(0, ID_END >> ID_LOW_BITS);
        Self(ms << ID_LOW_BITS)
    }
}
