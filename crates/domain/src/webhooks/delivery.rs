//! Deliveries: one notice on its way to one endpoint, its attempts, and why it may not arrive.

use std::sync::Arc;

use crate::ids::{AppId, ChannelId, DeliveryId, EndpointId, ID_END, RoomId};
use crate::time::Timestamp;
use crate::webhooks::event_kind::EventKind;

/// What is delivered in order to one endpoint: everything of one room, of one agent, to the phones
/// of one user, or what one customer of a service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(pub i64);

impl EventKind {
    /// The room of a lane, where lanes of this kind are rooms.
    pub fn room(self, lane: Lane) -> Option<RoomId> {
        match self {
            Self::LoggedOut | Self::EndpointState | Self::Push => None,
            Self::ChannelEvent | Self::ChannelForward => None,
            _ => Some(RoomId(lane.0)),
        }
    }

    /// Whether deliveries of this kind are counted in their lane. Pushes to one user come from many
    /// rooms at once, which must not wait for each other: their ids are their places (D-0051). What
    /// a service tells has its place from the service (D-0150).
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Push | Self::ChannelEvent | Self::ChannelForward)
    }

    /// Whether the bodies of this kind hold an agent's `sdk_key` (D-0086).
    pub fn holds_key(self) -> bool {
        matches!(self, Self::AgentAllocation | Self::LoggedOut)
    }
}

/// Parts that deliveries are divided into, so that several nodes can share them.
pub const BUCKETS: i64 = 64;

impl Lane {
    /// Of what this customer of a channel does, before it is known who they are. No id is as great.
    pub fn of_customer(channel: ChannelId, customer: &str) -> Self {
        let text = format!("{channel} {customer}");
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(ID_END.saturating_add((hash >> 2) as i64))
    }

    /// The part that everything of this lane belongs to.
    pub fn bucket(self) -> i64 {
        // The low bits of an id are its node and sequence: they alone would not spread.
        let mixed = (self.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as i64 % BUCKETS
    }
}

/// One notice for one endpoint. No `Debug`: the body holds messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The integer.
    pub id: DeliveryId,
    /// The app it is of.
    pub app: AppId,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// What it tells of.
    pub kind: EventKind,
    /// What it must stay in order with.
    pub lane: Lane,
    /// Its place in the lane: 1, 2, 3 … without a gap, where its kind is counted.
    pub sequence: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many webhooks led to it, one after the other; 1 if it is the first.
    pub depth: u32,
    /// What is sent, byte for byte, on every attempt.
    pub body: Arc<str>,
}

/// A delivery that waits, without its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// The integer.
    pub id: DeliveryId,
    /// The app it is of.
    pub app: AppId,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// What it must stay in order with.
    pub lane: Lane,
    /// Its place in the lane.
    pub sequence: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// How far it is.
    pub progress: Progress,
}

/// A delivery as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDelivery {
    /// The delivery.
    pub pending: Pending,
    /// What it tells of.
    pub kind: EventKind,
    /// The status that its last attempt was answered with.
    pub last_status: Option<u16>,
    /// What was wrong with its last attempt.
    pub last_error: Option<ErrorClass>,
    /// The URL that its last attempt went to, if that is known.
    pub last_url: Option<String>,
}

/// Which deliveries are wanted; what is nothing does not matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Those for this endpoint.
    pub endpoint: Option<EndpointId>,
    /// Those that tell of this.
    pub kind: Option<EventKind>,
    /// Those that stand here.
    pub standing: Option<DeliveryState>,
    /// Those whose last attempt went wrong in this way.
    pub error: Option<ErrorClass>,
    /// Those of this room.
    pub room: Option<RoomId>,
    /// Those made at this time or later.
    pub from: Option<Timestamp>,
    /// Those made before this time.
    pub until: Option<Timestamp>,
}

impl DeliveryFilter {
    /// Ids may run ahead of the clock by a little.
    const IDS_AHEAD_US: i64 = 1_000_000;

    /// All that are wanted have ids from the first of these on, and below the second.
    pub fn ids(&self) -> (DeliveryId, DeliveryId) {
        let ahead = |until: Timestamp| Timestamp(until.0.saturating_add(Self::IDS_AHEAD_US));
        let least = self.from.map_or(DeliveryId(0), DeliveryId::first_at);
        let end = self.until.map_or(DeliveryId(ID_END), |it| DeliveryId::first_at(ahead(it)));
        (least, end)
    }

    /// Whether it is one of them.
    pub fn has(&self, listed: &ListedDelivery) -> bool {
        let made_at = listed.pending.created_at;
        self.endpoint.is_none_or(|endpoint| endpoint == listed.pending.endpoint)
            && self.kind.is_none_or(|kind| kind == listed.kind)
            && self.standing.is_none_or(|it| it == listed.pending.progress.standing)
            && self.error.is_none_or(|error| listed.last_error == Some(error))
            && self.room.is_none_or(|room| listed.kind.room(listed.pending.lane) == Some(room))
            && self.from.is_none_or(|from| made_at >= from)
            && self.until.is_none_or(|until| made_at < until)
    }
}

/// What an endpoint has not got yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Which endpoint.
    pub endpoint: EndpointId,
    /// How many deliveries wait.
    pub waiting: u64,
    /// When the oldest of them was made.
    pub oldest: Timestamp,
}

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It waits for its next attempt, and those behind it wait for it.
    Waiting,
    /// It waits for its next attempt, and holds nobody up any more.
    Parked,
    /// The receiver has it.
    Delivered,
    /// It was given up.
    Failed,
}

impl DeliveryState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Parked, Self::Delivered, Self::Failed];

    /// As it is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Parked => "parked",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    /// Reads the shown word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.as_str() == text)
    }

    /// Whether there is another attempt to come.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Waiting | Self::Parked)
    }

    /// As it is stored. Those that wait come first.
    pub fn number(self) -> i64 {
        match self {
            Self::Waiting => 0,
            Self::Parked => 1,
            Self::Delivered => 2,
            Self::Failed => 3,
        }
    }

    /// Reads the stored number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.number() == number)
    }
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Where it stands.
    pub standing: DeliveryState,
    /// Attempts so far.
    pub attempts: u32,
    /// Attempts of the plan it is on; a replay begins the plan anew.
    pub tries: u32,
    /// When it began to be on the plan.
    pub since: Timestamp,
    /// When the next attempt is due; of no meaning once it is delivered or failed.
    pub due_at: Timestamp,
    /// When its first attempt failed.
    pub failed_at: Option<Timestamp>,
}

impl Progress {
    /// Of a delivery that was just made.
    pub fn new(created_at: Timestamp) -> Self {
        let standing = DeliveryState::Waiting;
        Self {
            standing,
            attempts: 0,
            tries: 0,
            since: created_at,
            due_at: created_at,
            failed_at: None,
        }
    }
}

/// One HTTP request of a delivery, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The first is 1.
    pub number: u32,
    /// When it began.
    pub at: Timestamp,
    /// What went wrong; nothing if the receiver has it.
    pub error: Option<ErrorClass>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The URL it went to; nothing if it was not sent, or before that was recorded.
    pub url: Option<String>,
    /// The address that was called.
    pub peer: Option<String>,
    /// How long each part took, in microseconds: name, connection, TLS, answer's head, its body.
    pub phases_us: [Option<u32>; 5],
    /// The beginning of the answer, or what was wrong in words.
    pub answer: String,
    /// The headers of ours that it was sent with, a line each, `name: value`; nothing if it was not
    /// sent, or before that was recorded. Those of pushes are not: they hold a token.
    pub headers: Option<String>,
}

impl Attempt {
    /// The answer of an attempt that was begun, until its outcome is recorded (D-0197).
    pub const BEGUN: &'static str = "begun";
}

/// What went wrong, in one word that logs, metrics and the list of attempts share. The list is
/// fixed and documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The name could not be resolved, or not in time.
    Dns,
    /// The target is not one that may be called (D-0010).
    BlockedAddress,
    /// No address took the connection: it was refused, or there is no way there.
    ConnectRefused,
    /// No address took the connection in time.
    ConnectTimeout,
    /// The handshake failed or stalled, or the certificate was not valid for the name.
    Tls,
    /// The request could not be written, or the connection broke before an HTTP answer was there.
    Write,
    /// The answer's headers did not come in time.
    HeaderTimeout,
    /// The answer's body did not come to its end in time, or broke off.
    BodyTimeout,
    /// The answer is larger than what is read of an answer.
    BodyTooLarge,
    /// A redirect. None is followed.
    Status3xx,
    /// A status of 400 to 499 that is none of the two below.
    Status4xx,
    /// Gone: the receiver wants no more deliveries.
    Status410,
    /// Too many requests.
    Status429,
    /// A status of 500 to 599.
    Status5xx,
    /// What the delivery told about is no longer so.
    Superseded,
    /// The endpoint was switched off.
    Disabled,
    /// The delivery became too old.
    Expired,
    /// The body is larger than what is sent.
    PayloadTooLarge,
    /// The push service will never take it (D-0051).
    Refused,
}

impl ErrorClass {
    /// Every class, in the order of the documentation.
    pub const ALL: [Self; 19] = [
        Self::Dns,
        Self::BlockedAddress,
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::Tls,
        Self::Write,
        Self::HeaderTimeout,
        Self::BodyTimeout,
        Self::BodyTooLarge,
        Self::Status3xx,
        Self::Status4xx,
        Self::Status410,
        Self::Status429,
        Self::Status5xx,
        Self::Superseded,
        Self::Disabled,
        Self::Expired,
        Self::PayloadTooLarge,
        Self::Refused,
    ];

    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::BlockedAddress => "blocked_address",
            Self::ConnectRefused => "connect_refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls",
            Self::Write => "write",
            Self::HeaderTimeout => "header_timeout",
            Self::BodyTimeout => "body_timeout",
            Self::BodyTooLarge => "body_too_large",
            Self::Status3xx => "status_3xx",
            Self::Status4xx => "status_4xx",
            Self::Status410 => "status_410",
            Self::Status429 => "status_429",
            Self::Status5xx => "status_5xx",
            Self::Superseded => "superseded",
            Self::Disabled => "disabled",
            Self::Expired => "expired",
            Self::PayloadTooLarge => "payload_too_large",
            Self::Refused => "refused",
        }
    }

    /// The class of a stored word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == text)
    }

    /// What a status that is not a success means; `None` for a success.
    pub fn of_status(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            300..=399 => Some(Self::Status3xx),
            410 => Some(Self::Status410),
            429 => Some(Self::Status429),
            400..=499 => Some(Self::Status4xx),
            500..=599 => Some(Self::Status5xx),
            // Not a final answer of HTTP at all.
            _ => Some(Self::Write),
        }
    }

    /// Whether another attempt cannot change it.
    pub fn is_final(self) -> bool {
        matches!(
            self,
            Self::Superseded
                | Self::Disabled
                | Self::Expired
                | Self::PayloadTooLarge
                | Self::Refused
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_spread_over_all_buckets_although_ids_end_alike() {
        let mut count = [0; BUCKETS as usize];
        // Ids of one node, one each millisecond: their low 12 bits are all the same.
        (0..64_000_i64).for_each(|id| count[Lane(id << 12).bucket() as usize] += 1);
        assert!(count.iter().all(|count| (500..1500).contains(count)), "{count:?}");
        assert!((0..BUCKETS).contains(&Lane(-1).bucket()));
    }

    fn listed(kind: EventKind, lane: i64, made_at: i64) -> ListedDelivery {
        let pending = Pending {
            id: DeliveryId(1),
            app: AppId(1),
            endpoint: EndpointId(1),
            lane: Lane(lane),
            sequence: 1,
            created_at: Timestamp(made_at),
            progress: Progress::new(Timestamp(made_at)),
        };
        ListedDelivery {
            pending,
            kind,
            last_status: Some(503),
            last_error: Some(ErrorClass::Status5xx),
            last_url: None,
        }
    }

    #[test]
    fn what_is_wanted_is_found_by_each_property_and_nothing_else_is() {
        let one = listed(EventKind::Bot, 55, 1_000);
        let any = DeliveryFilter::default();
        assert!(any.has(&one));
        for (wanted, is_it) in [
            (DeliveryFilter { kind: Some(EventKind::Bot), ..any }, true),
            (DeliveryFilter { kind: Some(EventKind::NewSession), ..any }, false),
            (DeliveryFilter { standing: Some(DeliveryState::Waiting), ..any }, true),
            (DeliveryFilter { standing: Some(DeliveryState::Failed), ..any }, false),
            (DeliveryFilter { error: Some(ErrorClass::Status5xx), ..any }, true),
            (DeliveryFilter { error: Some(ErrorClass::Dns), ..any }, false),
            (DeliveryFilter { room: Some(RoomId(55)), ..any }, true),
            (DeliveryFilter { room: Some(RoomId(56)), ..any }, false),
            (DeliveryFilter { from: Some(Timestamp(1_000)), ..any }, true),
            (DeliveryFilter { from: Some(Timestamp(1_001)), ..any }, false),
            (DeliveryFilter { until: Some(Timestamp(1_001)), ..any }, true),
            (DeliveryFilter { until: Some(Timestamp(1_000)), ..any }, false),
        ] {
            assert_eq!(wanted.has(&one), is_it, "{wanted:?}");
        }
        let logout = listed(EventKind::LoggedOut, 55, 1_000);
        assert!(
            !DeliveryFilter { room: Some(RoomId(55)), ..any }.has(&logout),
            "55 is a dashboard user"
        );
    }

    #[test]
    fn every_standing_is_read_back_from_its_number() {
        for standing in DeliveryState::ALL {
            assert_eq!(DeliveryState::from_number(standing.number()), Some(standing));
            assert_eq!(DeliveryState::parse(standing.as_str()), Some(standing));
        }
    }

    #[test]
    fn every_class_is_read_back_from_its_word() {
        for class in ErrorClass::ALL {
            assert_eq!(ErrorClass::parse(class.as_str()), Some(class));
        }
        assert_eq!(ErrorClass::parse("Dns"), None);
    }

    #[test]
    fn every_status_but_a_success_has_a_class() {
        for status in 0..=u16::MAX {
            assert_eq!(ErrorClass::of_status(status).is_none(), (200..300).contains(&status));
        }
        assert_eq!(ErrorClass::of_status(404), Some(ErrorClass::Status4xx));
        assert_eq!(ErrorClass::of_status(410), Some(ErrorClass::Status410));
        assert_eq!(ErrorClass::of_status(101), Some(ErrorClass::Write));
    }
}
