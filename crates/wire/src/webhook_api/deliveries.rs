//! Requests and responses about deliveries: list, inspect, and send again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::{
    Attempt, Delivery, DeliveryFilter, DeliveryHead, DeliveryState, ErrorClass, Lane,
    ListedDelivery, Progress,
};
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::masking::{MASKED, is_signature, masked};
use super::{Cursor, EndpointInteger, ErrorWord, Kind, RoomInteger, StandingWord, Time};
use crate::body::Body;
use crate::fields::Within;
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    struct WantedFields {
        /// Endpoint id, to select only deliveries to this endpoint.
        endpoint: EndpointInteger, optional;
        /// Room id, to select only deliveries about this room.
        room_id: RoomInteger, optional, example = "55";
        /// Kind of event, to select only its deliveries.
        kind: Kind, optional, example = "bot";
        /// Error class, to select only deliveries whose last attempt failed with it.
        error: ErrorWord, optional, example = "status_5xx";
        /// Selects only deliveries created at this time or later.
        from: Time, optional, example = "2026-01-31T10:00:00Z";
        /// Selects only deliveries created before this time.
        until: Time, optional;
    }
}

impl WantedFields {
    fn of(self, standing: Option<DeliveryState>) -> DeliveryFilter {
        let Self { endpoint, room_id: room, kind, error, from, until } = self;
        DeliveryFilter { endpoint, kind, standing, error, room, from, until }
    }
}

request! {
    /// Query of `GET /deliveries`.
    pub struct DeliveriesFields {
        /// State of the deliveries: `waiting`, `parked`, `delivered` or `failed`.
        standing: StandingWord, optional, example = "failed";
        wanted: WantedFields, group;
        /// `next` of the previous page.
        before: Cursor, optional;
        /// Maximum number of deliveries to return.
        limit: Within<1, { limits::PAGE_MAX as u32 }>, or limits::PAGE_DEFAULT as u32,
            default = || limits::PAGE_DEFAULT.into();
    }
}

/// A request for one page of deliveries, newest first.
#[derive(Debug, PartialEq, Eq)]
pub struct ListDeliveries {
    /// Filter for the deliveries.
    pub wanted: DeliveryFilter,
    /// Returns only deliveries older than this one.
    pub before: Option<DeliveryId>,
    /// Maximum number of deliveries to return.
    pub size: usize,
}

impl ListDeliveries {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let DeliveriesFields { standing, wanted, before, limit } = query.read()?;
        let before = before.map(DeliveryId);
        Ok(Self { wanted: wanted.of(standing), before, size: limit as usize })
    }
}

request! {
    /// Body of `POST /replay`.
    pub struct ReplayFields as "Replay" {
        /// State of the deliveries: `waiting`, `parked`, `delivered` or `failed`.
        standing: StandingWord, or DeliveryState::Failed, default = || "failed".into();
        wanted: WantedFields, group;
        /// `next` of the previous call.
        after: Cursor, optional;
    }
}

/// A request to send deliveries again, oldest first.
#[derive(Debug, PartialEq, Eq)]
pub struct Replay {
    /// Filter for the deliveries.
    pub wanted: DeliveryFilter,
    /// Only deliveries newer than this one are sent again.
    pub after: Option<DeliveryId>,
}

impl Replay {
    /// Parses the body. Successful deliveries are sent again only if `standing` requests it.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let ReplayFields { standing, wanted, after } = body.read()?;
        Ok(Self { wanted: wanted.of(Some(standing)), after: after.map(DeliveryId) })
    }
}

/// Response data of a replay.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplayResult {
    /// Number of deliveries that are sent again.
    pub replayed: usize,
    /// Value of `after` for the next call; null if no matching deliveries remain.
    pub next: Option<String>,
}

/// A delivery: an event for one endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryShape {
    /// Id of the delivery, as in `/deliveries/{id}`.
    id: i64,
    /// Kind of event.
    #[schema(example = "bot")]
    kind: &'static str,
    /// Id of the endpoint to which the event is sent.
    endpoint_id: String,
    /// Room id; null if the event does not belong to a room.
    room_id: Option<String>,
    /// Position among the deliveries that the endpoint receives in order, such as those about one
    /// room; sent as `webhook-sequence`.
    sequence: u64,
    /// Current URL of the endpoint while the delivery waits for an attempt; afterward the URL of
    /// the last attempt.
    url: String,
    /// State: `waiting`, `parked`, `delivered` or `failed`.
    #[schema(example = "delivered")]
    standing: &'static str,
    /// Number of attempts.
    attempts: u32,
    /// HTTP status of the last attempt's response; null if no response arrived.
    last_status: Option<u16>,
    /// Error class of the last attempt; null if it succeeded, or before the first one.
    last_error: Option<&'static str>,
    /// Time of creation.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    created_at: String,
    /// Time of the next attempt; null once the delivery has succeeded or failed.
    due_at: Option<String>,
}

/// Response data with one delivery.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryBox {
    delivery: DeliveryShape,
}

/// Response data with a page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryList {
    /// Deliveries, newest first.
    deliveries: Vec<DeliveryShape>,
    /// Value of `before` for the next page; null on the last page. A page may be short or empty
    /// although more pages follow, because a call examines a limited number of deliveries.
    next: Option<String>,
}

/// A delivery with its body and attempts.
#[derive(Serialize, ToSchema)]
pub struct DeliveryDetail<'a> {
    #[serde(flatten)]
    delivery: DeliveryShape,
    /// Body of the request, with secret keys masked.
    body: String,
    /// Attempts, oldest first.
    attempt_list: Vec<AttemptShape<'a>>,
}

/// Response data with one delivery and its attempts.
#[derive(Serialize, ToSchema)]
pub struct DeliveryDetailBox<'a> {
    delivery: DeliveryDetail<'a>,
}

/// An attempt of a delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Attempt)]
pub struct AttemptShape<'a> {
    /// Number of the attempt, from 1.
    number: u32,
    /// Start of the attempt.
    at: String,
    /// HTTP status of the response; null if no response arrived.
    status: Option<u16>,
    /// Error class of the attempt; null if the receiver accepted the delivery.
    #[schema(example = "header_timeout")]
    error: Option<&'static str>,
    /// URL of the request; null if it was not sent.
    url: Option<&'a str>,
    /// IP address and port of the receiver.
    peer: Option<&'a str>,
    /// Duration of each phase.
    phases_us: PhasesShape,
    /// Beginning of the response body, or a description of the error.
    answer: String,
    /// Headers that the server set for this webhook, without general headers such as `host`.
    /// Signatures are masked if the body contains masked keys. Null if the request was not sent, or
    /// if the attempt is older than the recording of headers.
    headers: Option<BTreeMap<&'a str, &'a str>>,
}

/// The duration of each phase of an attempt, in microseconds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Phases)]
pub struct PhasesShape {
    /// DNS lookup.
    name: Option<u32>,
    /// TCP connection.
    connect: Option<u32>,
    /// TLS handshake.
    tls: Option<u32>,
    /// Wait from the last byte of the request to the first byte of the response.
    head: Option<u32>,
    /// From the first byte of the response to its last byte.
    body: Option<u32>,
}

/// Response data with one attempt.
#[derive(Debug, Serialize, ToSchema)]
pub struct AttemptBox<'a> {
    attempt: AttemptShape<'a>,
}

/// Returns a page of deliveries.
pub fn delivery_list(
    listed: &[ListedDelivery],
    next: Option<DeliveryId>,
    endpoints: &[Endpoint],
) -> DeliveryList {
    let deliveries = listed.iter().map(|it| shape(it, endpoints)).collect();
    DeliveryList { deliveries, next: next.map(|next| next.to_string()) }
}

/// Returns a delivery with the result of its last attempt.
pub fn one_delivery(
    (delivery, progress, attempts): &(Delivery, Progress, Vec<Attempt>),
    endpoints: &[Endpoint],
) -> DeliveryBox {
    DeliveryBox { delivery: shape(&listed(delivery, progress, attempts), endpoints) }
}

/// Returns a delivery with its body and attempts.
pub fn delivery_detail<'a>(
    (delivery, progress, attempts): &'a (Delivery, Progress, Vec<Attempt>),
    endpoints: &[Endpoint],
) -> DeliveryDetailBox<'a> {
    let body = masked(&delivery.body);
    let is_masked = matches!(body, Cow::Owned(_));
    DeliveryDetailBox {
        delivery: DeliveryDetail {
            delivery: shape(&listed(delivery, progress, attempts), endpoints),
            attempt_list: attempts.iter().map(|it| attempt_shape(it, is_masked)).collect(),
            body: body.into_owned(),
        },
    }
}

/// Returns an attempt without its delivery.
pub fn one_attempt(attempt: &Attempt) -> AttemptBox<'_> {
    AttemptBox { attempt: attempt_shape(attempt, false) }
}

fn listed(delivery: &Delivery, progress: &Progress, attempts: &[Attempt]) -> ListedDelivery {
    let Delivery { id, app, endpoint, lane, sequence, created_at, kind, .. } = *delivery;
    let last = attempts.last();
    ListedDelivery {
        pending: DeliveryHead {
            id,
            app,
            endpoint,
            lane,
            sequence,
            created_at,
            progress: *progress,
        },
        kind,
        last_status: last.and_then(|last| last.status),
        last_error: last.and_then(|last| last.error),
        last_url: last.and_then(|last| last.url.clone()),
    }
}

fn shape(listed: &ListedDelivery, endpoints: &[Endpoint]) -> DeliveryShape {
    let DeliveryHead { id, endpoint, lane, sequence, created_at, progress, .. } = listed.pending;
    let is_waiting = progress.standing.is_waiting();
    let due_at = Some(progress.due_at).filter(|_| is_waiting);
    // Waiting deliveries go to the current URL of their endpoint.
    let went_to = listed.last_url.as_deref().filter(|_| !is_waiting);
    DeliveryShape {
        id: id.0,
        kind: listed.kind.as_str(),
        endpoint_id: endpoint.to_string(),
        room_id: room_id(listed.kind, lane),
        sequence,
        url: went_to.unwrap_or_else(|| url_of(endpoint, endpoints)).to_owned(),
        standing: progress.standing.as_str(),
        attempts: progress.attempts,
        last_status: listed.last_status,
        last_error: listed.last_error.map(ErrorClass::as_str),
        created_at: to_the_microsecond(created_at),
        due_at: due_at.map(to_the_microsecond),
    }
}

pub(super) fn room_id(kind: EventKind, lane: Lane) -> Option<String> {
    kind.room(lane).map(|room| room.to_string())
}

/// Returns the current URL of an endpoint.
pub(crate) fn url_of(endpoint: EndpointId, endpoints: &[Endpoint]) -> &str {
    endpoints.iter().find(|it| it.id == endpoint).map_or("", |it| &it.url)
}

fn attempt_shape(attempt: &Attempt, is_masked: bool) -> AttemptShape<'_> {
    let [name, connect, tls, head, body] = attempt.phases_us;
    AttemptShape {
        number: attempt.number,
        at: to_the_microsecond(attempt.at),
        status: attempt.status,
        error: attempt.error.map(ErrorClass::as_str),
        url: attempt.url.as_deref(),
        peer: attempt.peer.as_deref(),
        phases_us: PhasesShape { name, connect, tls, head, body },
        // Some receivers echo the request.
        answer: masked(&attempt.answer).into_owned(),
        headers: attempt.headers.as_deref().map(|lines| headers(lines, is_masked)),
    }
}

/// Returns the headers of an attempt by name. Signatures are masked if `is_masked`.
fn headers(lines: &str, is_masked: bool) -> BTreeMap<&str, &str> {
    let header = |line| {
        let (name, value): (&str, &str) = str::split_once(line, ": ")?;
        Some((name, if is_masked && is_signature(name) { MASKED } else { value }))
    };
    lines.lines().filter_map(header).collect()
}
