//! Deliveries: what was told, what became of it, and sending it again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::{
    Attempt, Delivery, DeliveryFilter, DeliveryState, ErrorClass, Lane, ListedDelivery, Pending,
    Progress,
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
        /// Only those for the endpoint of this id.
        endpoint: EndpointInteger, optional;
        /// Only those of this room.
        room_id: RoomInteger, optional, example = "55";
        /// Only those of this kind.
        kind: Kind, optional, example = "bot";
        /// Only those whose last attempt failed in this way.
        error: ErrorWord, optional, example = "status_5xx";
        /// Only those made at this time or later.
        from: Time, optional, example = "2026-01-31T10:00:00Z";
        /// Only those made before this time.
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
    /// `GET /deliveries`
    pub struct DeliveriesFields {
        /// Only those that are `waiting`, `parked`, `delivered` or `failed`.
        standing: StandingWord, optional, example = "failed";
        wanted: WantedFields, group;
        /// `next` of the page before.
        before: Cursor, optional;
        /// How many at most.
        limit: Within<1, { limits::PAGE_MAX as u32 }>, or limits::PAGE_DEFAULT as u32,
            default = || limits::PAGE_DEFAULT.into();
    }
}

/// A page of deliveries, newest first.
#[derive(Debug, PartialEq, Eq)]
pub struct ListDeliveries {
    /// Which.
    pub wanted: DeliveryFilter,
    /// Only older ones than this.
    pub before: Option<DeliveryId>,
    /// How many at most.
    pub size: usize,
}

impl ListDeliveries {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let DeliveriesFields { standing, wanted, before, limit } = query.read()?;
        let before = before.map(DeliveryId);
        Ok(Self { wanted: wanted.of(standing), before, size: limit as usize })
    }
}

request! {
    /// `POST /replay`
    pub struct ReplayFields as "Replay" {
        /// Only those that are `waiting`, `parked`, `delivered` or `failed`.
        standing: StandingWord, or DeliveryState::Failed, default = || "failed".into();
        wanted: WantedFields, group;
        /// `next` of the call before.
        after: Cursor, optional;
    }
}

/// Deliveries to be sent again, oldest first.
#[derive(Debug, PartialEq, Eq)]
pub struct Replay {
    /// Which.
    pub wanted: DeliveryFilter,
    /// Only newer ones than this.
    pub after: Option<DeliveryId>,
}

impl Replay {
    /// Reads the body. Nobody means those that arrived unless they say so.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let ReplayFields { standing, wanted, after } = body.read()?;
        Ok(Self { wanted: wanted.of(Some(standing)), after: after.map(DeliveryId) })
    }
}

/// What was sent again.
#[derive(Debug, Serialize, ToSchema)]
pub struct Replayed {
    /// How many.
    pub replayed: usize,
    /// Call again with `after` set to this; null when all are done.
    pub next: Option<String>,
}

/// A delivery: one notice on its way to one endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryShape {
    /// The integer.
    id: i64,
    /// What it tells of.
    #[schema(example = "bot")]
    kind: &'static str,
    /// The id of the endpoint it is for.
    endpoint_id: String,
    /// The room; null where a notice is of none.
    room_id: Option<String>,
    /// Its place among those of its room.
    sequence: u64,
    /// Where it goes; once it went there, where its last attempt went.
    url: String,
    /// `waiting`, `parked`, `delivered` or `failed`.
    #[schema(example = "delivered")]
    standing: &'static str,
    /// How many attempts were made.
    attempts: u32,
    /// The status that the last attempt was answered with.
    last_status: Option<u16>,
    /// What was wrong with the last attempt.
    last_error: Option<&'static str>,
    /// When it was made.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    created_at: String,
    /// When the next attempt is due.
    due_at: Option<String>,
}

/// `{delivery}`
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryBox {
    /// The delivery.
    delivery: DeliveryShape,
}

/// `{deliveries, next}`
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryList {
    /// Newest first.
    deliveries: Vec<DeliveryShape>,
    /// Call again with `before` set to this; null when there are no more. A page may be short, or
    /// empty, although there are more: a call looks at a bounded number of deliveries.
    next: Option<String>,
}

/// A delivery with what was sent and what came back.
#[derive(Serialize, ToSchema)]
pub struct DeliveryDetail<'a> {
    /// The delivery.
    #[serde(flatten)]
    delivery: DeliveryShape,
    /// What is sent, with keys masked.
    body: String,
    /// The attempts, the first one first.
    attempt_list: Vec<AttemptShape<'a>>,
}

/// `{delivery}`
#[derive(Serialize, ToSchema)]
pub struct DeliveryDetailBox<'a> {
    /// The delivery.
    delivery: DeliveryDetail<'a>,
}

/// One attempt.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Attempt)]
pub struct AttemptShape<'a> {
    /// The first is 1.
    number: u32,
    /// When it began.
    at: String,
    /// The status of the answer.
    status: Option<u16>,
    /// What went wrong; null if the receiver has it.
    #[schema(example = "header_timeout")]
    error: Option<&'static str>,
    /// The URL it went to; null if it was not sent.
    url: Option<&'a str>,
    /// The address that was called.
    peer: Option<&'a str>,
    /// How long each part took.
    phases_us: PhasesShape,
    /// The beginning of the answer, or what was wrong in words.
    answer: String,
    /// The headers that it was sent with, beside those of every HTTP request; signatures are masked
    /// where the body is. Null if it was not sent, or before that was recorded.
    headers: Option<BTreeMap<&'a str, &'a str>>,
}

/// How long each part of an attempt took, in microseconds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Phases)]
pub struct PhasesShape {
    /// Looking up the name.
    name: Option<u32>,
    /// Connecting.
    connect: Option<u32>,
    /// Encrypting.
    tls: Option<u32>,
    /// Until the answer's head was there.
    head: Option<u32>,
    /// Until the answer's body was there.
    body: Option<u32>,
}

/// `{attempt}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AttemptBox<'a> {
    /// The attempt.
    attempt: AttemptShape<'a>,
}

/// A page of deliveries.
pub fn delivery_list(
    listed: &[ListedDelivery],
    next: Option<DeliveryId>,
    endpoints: &[Endpoint],
) -> DeliveryList {
    let deliveries = listed.iter().map(|it| shape(it, endpoints)).collect();
    DeliveryList { deliveries, next: next.map(|next| next.to_string()) }
}

/// A delivery and its last attempt.
pub fn one_delivery(
    (delivery, progress, attempts): &(Delivery, Progress, Vec<Attempt>),
    endpoints: &[Endpoint],
) -> DeliveryBox {
    DeliveryBox { delivery: shape(&listed(delivery, progress, attempts), endpoints) }
}

/// A delivery with everything.
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

/// An attempt alone.
pub fn one_attempt(attempt: &Attempt) -> AttemptBox<'_> {
    AttemptBox { attempt: attempt_shape(attempt, false) }
}

fn listed(delivery: &Delivery, progress: &Progress, attempts: &[Attempt]) -> ListedDelivery {
    let Delivery { id, app, endpoint, lane, sequence, created_at, kind, .. } = *delivery;
    let last = attempts.last();
    ListedDelivery {
        pending: Pending { id, app, endpoint, lane, sequence, created_at, progress: *progress },
        kind,
        last_status: last.and_then(|last| last.status),
        last_error: last.and_then(|last| last.error),
        last_url: last.and_then(|last| last.url.clone()),
    }
}

fn shape(listed: &ListedDelivery, endpoints: &[Endpoint]) -> DeliveryShape {
    let Pending { id, endpoint, lane, sequence, created_at, progress, .. } = listed.pending;
    let is_waiting = progress.standing.is_waiting();
    let due_at = Some(progress.due_at).filter(|_| is_waiting);
    // What waits goes where its endpoint is now.
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

/// The address of an endpoint, as it is now.
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
        // Some receivers send back what they got.
        answer: masked(&attempt.answer).into_owned(),
        headers: attempt.headers.as_deref().map(|lines| headers(lines, is_masked)),
    }
}

/// The headers of an attempt, by their names.
fn headers(lines: &str, is_masked: bool) -> BTreeMap<&str, &str> {
    let header = |line| {
        let (name, value): (&str, &str) = str::split_once(line, ": ")?;
        Some((name, if is_masked && is_signature(name) { MASKED } else { value }))
    };
    lines.lines().filter_map(header).collect()
}
