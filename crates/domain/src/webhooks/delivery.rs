//! Deliveries: one event on its way to one endpoint, its attempts, and the classes of errors.

use std::sync::Arc;

use crate::ids::{AppId, ChannelId, DeliveryId, EndpointId, ID_END, RoomId};
use crate::time::Timestamp;
use crate::webhooks::event_kind::EventKind;

/// A sequence of deliveries that one endpoint receives in order: all of one room, one agent, one
/// user's devices, or one customer of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(pub i64);

impl EventKind {
    /// Returns the room of a lane; `None` for kinds whose lanes are not rooms.
    pub fn room(self, lane: Lane) -> Option<RoomId> {
        match self {
            Self::LoggedOut | Self::EndpointState | Self::Push => None,
            Self::ChannelEvent | Self::ChannelForward => None,
            _ => Some(RoomId(lane.0)),
        }
    }

    /// Whether deliveries of this kind are numbered in their lane. Pushes to one user come from
    /// many rooms at once, which must not wait for each other, so their ids determine the order.
    /// Events from a provider are ordered by the provider (D-0150).
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Push | Self::ChannelEvent | Self::ChannelForward)
    }

    /// Whether the bodies of this kind contain an agent's `sdk_key` (D-0086).
    pub fn holds_key(self) -> bool {
        matches!(self, Self::AgentAllocation | Self::LoggedOut)
    }
}

/// Number of buckets that lanes are divided into, so that several nodes can share them.
pub const BUCKETS: i64 = 64;

impl Lane {
    /// Returns the lane for a provider's events about a customer, who may not be registered yet.
    /// Its number is a hash that is greater than every id.
    pub fn of_customer(channel: ChannelId, customer: &str) -> Self {
        let text = format!("{channel} {customer}");
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(ID_END.saturating_add((hash >> 2) as i64))
    }

    /// Returns the bucket of this lane.
    pub fn bucket(self) -> i64 {
        // The low bits of an id are its node and sequence, which would not spread on their own.
        let mixed = (self.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as i64 % BUCKETS
    }
}

/// One event for one endpoint. No `Debug`: the body holds messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Id of the delivery, which webhooks show as `webhook-id`.
    pub id: DeliveryId,
    pub app: AppId,
    pub endpoint: EndpointId,
    /// Kind of the event.
    pub kind: EventKind,
    /// Lane in which the endpoint receives the delivery in order.
    pub lane: Lane,
    /// Position in the lane: 1, 2, 3 … without gaps, if its kind is numbered.
    pub sequence: u64,
    /// Creation time.
    pub created_at: Timestamp,
    /// Number of webhooks in the chain that led to the delivery, including the delivery itself; 1
    /// if no other webhook caused it.
    pub depth: u32,
    /// Body of every attempt, byte for byte.
    pub body: Arc<str>,
}

/// A delivery without its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryHead {
    pub id: DeliveryId,
    pub app: AppId,
    pub endpoint: EndpointId,
    /// Lane in which the endpoint receives the delivery in order.
    pub lane: Lane,
    /// Position in the lane.
    pub sequence: u64,
    /// Creation time.
    pub created_at: Timestamp,
    /// State of the delivery.
    pub progress: Progress,
}

/// A delivery as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDelivery {
    pub pending: DeliveryHead,
    /// Kind of the event.
    pub kind: EventKind,
    /// HTTP status of the last attempt.
    pub last_status: Option<u16>,
    /// Error of the last attempt.
    pub last_error: Option<ErrorClass>,
    /// URL of the last attempt, if it was recorded.
    pub last_url: Option<String>,
}

/// Conditions on the deliveries in a list. A condition that is `None` is met by all deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Endpoint of the delivery.
    pub endpoint: Option<EndpointId>,
    /// Kind of the event.
    pub kind: Option<EventKind>,
    /// State of the delivery.
    pub standing: Option<DeliveryState>,
    /// Error of the last attempt.
    pub error: Option<ErrorClass>,
    /// Room to which the delivery's lane belongs.
    pub room: Option<RoomId>,
    /// Earliest creation time, inclusive.
    pub from: Option<Timestamp>,
    /// Latest creation time, exclusive.
    pub until: Option<Timestamp>,
}

impl DeliveryFilter {
    /// Maximum time in microseconds by which an id can be ahead of the delivery's creation time.
    const IDS_AHEAD_US: i64 = 1_000_000;

    /// Returns a range of ids that contains all matching deliveries: the first id, and the first id
    /// after the range.
    pub fn ids(&self) -> (DeliveryId, DeliveryId) {
        let ahead = |until: Timestamp| Timestamp(until.0.saturating_add(Self::IDS_AHEAD_US));
        let least = self.from.map_or(DeliveryId(0), DeliveryId::first_at);
        let end = self.until.map_or(DeliveryId(ID_END), |it| DeliveryId::first_at(ahead(it)));
        (least, end)
    }

    /// Whether a delivery meets all conditions.
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

/// The unfinished deliveries of one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub endpoint: EndpointId,
    /// Number of unfinished deliveries.
    pub waiting: u64,
    /// Creation time of the oldest unfinished delivery.
    pub oldest: Timestamp,
}

/// The state of a delivery: another attempt follows, or the delivery succeeded or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// The delivery waits for its next attempt and blocks later deliveries of its lane.
    Waiting,
    /// The delivery waits for its next attempt and no longer blocks its lane.
    Parked,
    /// The receiver accepted the delivery.
    Delivered,
    /// The delivery was given up; no attempt follows.
    Failed,
}

impl DeliveryState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Parked, Self::Delivered, Self::Failed];

    /// Returns the public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Parked => "parked",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    /// Parses the public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.as_str() == text)
    }

    /// Whether another attempt follows.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Waiting | Self::Parked)
    }

    /// Returns the stored number. Unfinished states come first.
    pub fn number(self) -> i64 {
        match self {
            Self::Waiting => 0,
            Self::Parked => 1,
            Self::Delivered => 2,
            Self::Failed => 3,
        }
    }

    /// Parses the stored number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.number() == number)
    }
}

/// The state of a delivery and of its retry schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// State of the delivery.
    pub standing: DeliveryState,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Number of attempts on the current retry schedule, which a replay restarts.
    pub tries: u32,
    /// Start of the current retry schedule.
    pub since: Timestamp,
    /// Time of the next attempt; meaningless once the delivery is finished.
    pub due_at: Timestamp,
    /// Time of the first failed attempt.
    pub failed_at: Option<Timestamp>,
}

impl Progress {
    /// Returns the progress of a new delivery.
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

/// One HTTP request of a delivery, as recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Number of the attempt, from 1.
    pub number: u32,
    /// Start time.
    pub at: Timestamp,
    /// Error; `None` if the receiver accepted the delivery.
    pub error: Option<ErrorClass>,
    /// HTTP status of the response.
    pub status: Option<u16>,
    /// URL of the request; `None` if no request was sent, or in records from before URLs were
    /// recorded.
    pub url: Option<String>,
    /// IP address of the receiver; `None` if no connection was established.
    pub peer: Option<String>,
    /// Duration of each phase in microseconds: name resolution, connection, TLS handshake, response
    /// headers, response body.
    pub phases_us: [Option<u32>; 5],
    /// Beginning of the response, or a description of the error.
    pub answer: String,
    /// Headers of the request, one `name: value` per line; `None` if no request was sent, or in
    /// records from before headers were recorded. Headers of pushes are never recorded, because
    /// they contain a token.
    pub headers: Option<String>,
}

impl Attempt {
    /// Value of `answer` from the start of an attempt until its outcome is recorded (D-0152).
    pub const BEGUN: &'static str = "begun";
}

/// The error of an attempt, as one word that logs, metrics and lists of attempts share. The list is
/// fixed and documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The host name could not be resolved, or not in time.
    Dns,
    /// Requests to the receiver's address are forbidden (D-0010).
    BlockedAddress,
    /// The connection was refused, or there is no route to the address.
    ConnectRefused,
    /// The connection was not established in time.
    ConnectTimeout,
    /// The TLS handshake failed or timed out, or the certificate is not valid for the host name.
    Tls,
    /// The request could not be written, or the connection broke before an HTTP response.
    Write,
    /// The response headers did not arrive in time.
    HeaderTimeout,
    /// The response body did not end in time, or broke off.
    BodyTimeout,
    /// The response is larger than the limit.
    BodyTooLarge,
    /// A redirect. Redirects are never followed.
    Status3xx,
    /// A status from 400 to 499, except 410 and 429.
    Status4xx,
    /// Status 410: the receiver refuses all further deliveries.
    Status410,
    /// Status 429: the receiver received too many requests.
    Status429,
    /// A status from 500 to 599.
    Status5xx,
    /// The delivery is no longer needed, for example because an agent serves the customer already.
    Superseded,
    /// The endpoint is disabled or deleted, or the server is not configured to send such
    /// deliveries.
    Disabled,
    /// The delivery exceeded its maximum age.
    Expired,
    /// The request to a provider could not be built.
    PayloadTooLarge,
    /// Apple's push service or a provider rejected the delivery permanently.
    Refused,
}

impl ErrorClass {
    /// All classes, in the order of the documentation.
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

    /// Returns the stored and public name.
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

    /// Parses the stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == text)
    }

    /// Returns the class of a status; `None` for a success.
    pub fn of_status(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            300..=399 => Some(Self::Status3xx),
            410 => Some(Self::Status410),
            429 => Some(Self::Status429),
            400..=499 => Some(Self::Status4xx),
            500..=599 => Some(Self::Status5xx),
            // Not a final status of HTTP.
            _ => Some(Self::Write),
        }
    }

    /// Whether no further attempt could succeed.
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
    fn lanes_spread_over_all_buckets_even_if_ids_share_their_low_bits() {
        let mut count = [0; BUCKETS as usize];
        // Ids of one node, one each millisecond: their low 12 bits are all the same.
        (0..64_000_i64).for_each(|id| count[Lane(id << 12).bucket() as usize] += 1);
        assert!(count.iter().all(|count| (500..1500).contains(count)), "{count:?}");
        assert!((0..BUCKETS).contains(&Lane(-1).bucket()));
    }

    fn listed(kind: EventKind, lane: i64, made_at: i64) -> ListedDelivery {
        let pending = DeliveryHead {
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
    fn filters_match_each_property() {
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
            "55 is an agent here"
        );
    }

    #[test]
    fn every_state_is_parsed_from_its_number_and_name() {
        for standing in DeliveryState::ALL {
            assert_eq!(DeliveryState::from_number(standing.number()), Some(standing));
            assert_eq!(DeliveryState::parse(standing.as_str()), Some(standing));
        }
    }

    #[test]
    fn every_error_class_is_parsed_from_its_name() {
        for class in ErrorClass::ALL {
            assert_eq!(ErrorClass::parse(class.as_str()), Some(class));
        }
        assert_eq!(ErrorClass::parse("Dns"), None);
    }

    #[test]
    fn every_status_except_success_has_an_error_class() {
        for status in 0..=u16::MAX {
            assert_eq!(ErrorClass::of_status(status).is_none(), (200..300).contains(&status));
        }
        assert_eq!(ErrorClass::of_status(404), Some(ErrorClass::Status4xx));
        assert_eq!(ErrorClass::of_status(410), Some(ErrorClass::Status410));
        assert_eq!(ErrorClass::of_status(101), Some(ErrorClass::Write));
    }
}
