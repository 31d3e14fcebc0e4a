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
    /// Integer id of an app, used inside this server only. API clients name apps by `AppCode`.
    AppId
);
integer_id!(
    /// Integer id of a user. API clients name users by `UserId`.
    UserKey
);
integer_id!(
    /// Integer id of a room.
    RoomId
);
integer_id!(
    /// Integer id of a message. Within a room, later messages have greater ids.
    MessageId
);
integer_id!(
    /// Integer id of an event. The event of a posted message has the message's id.
    EventId
);
integer_id!(
    /// Integer id of an agent.
    AgentId
);

integer_id!(
    /// Integer id of an endpoint.
    EndpointId
);
integer_id!(
    /// Integer id of a delivery. Within a lane, later deliveries have greater ids.
    DeliveryId
);

integer_id!(
    /// Integer id of a division.
    DivisionId
);
integer_id!(
    /// Integer id of a canned reply.
    CannedReplyId
);

integer_id!(
    /// Integer id of a channel.
    ChannelId
);
integer_id!(
    /// Integer id of a session.
    SessionId
);
integer_id!(
    /// Integer id of an entry in a room's history.
    TrailId
);
integer_id!(
    /// Integer id of a customer's property.
    PropertyId
);
integer_id!(
    /// Integer id of a tag.
    TagId
);
integer_id!(
    /// Integer id of a note.
    NoteId
);
integer_id!(
    /// Integer id of an audit entry.
    AuditId
);
integer_id!(
    /// Integer id of a sign-in.
    SignInId
);

/// First integer that is too large for an id.
pub const ID_END: i64 = 1 << 53;

/// Number of bits of an id below its milliseconds: 6 bits for a sequence number, and the lowest 6
/// for the node number.
pub const ID_LOW_BITS: u32 = 12;

/// Time from which the milliseconds in ids are counted, in Unix milliseconds: 2024-01-01T00:00:00Z.
pub const ID_EPOCH_MS: i64 = 1_704_067_200_000;

impl EventId {
    /// Returns the number of the node that created the event.
    pub fn node(self) -> i64 {
        self.0 & 63
    }

    /// Returns the time when the id was created, to the millisecond.
    pub fn made_at(self) -> Timestamp {
        Timestamp(((self.0 >> ID_LOW_BITS) + ID_EPOCH_MS).saturating_mul(1000))
    }

    /// Returns the smallest id that can be created at this time.
    pub fn first_at(time: Timestamp) -> Self {
        Self(DeliveryId::first_at(time).0)
    }
}

impl DeliveryId {
    /// Returns the smallest id that can be created at this time. Earlier deliveries have smaller
    /// ids.
    pub fn first_at(time: Timestamp) -> Self {
        let ms = time.unix_ms().saturating_sub(ID_EPOCH_MS).clamp(0, ID_END >> ID_LOW_BITS);
        Self(ms << ID_LOW_BITS)
    }
}
