//! Endpoints: the URLs to which events are sent, and their state.

use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::Backlog;
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::subscribing::EndpointInput;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{CalledUrl, Flag, Within};
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Body of `PUT /endpoints/{kind}`.
    pub struct PutEndpointFields as "PutEndpoint" {
        /// URL to which webhooks are sent.
        url: CalledUrl, required, example = "https://bot.example.com/hook";
        /// Whether events are sent to this endpoint.
        is_enabled: Flag, or true, default = || true.into();
        /// Timeout of an attempt including the response, in milliseconds.
        timeout_ms: Within<100, 60_000>, or DeliveryPolicy::default().timeout_ms,
            default = || DeliveryPolicy::default().timeout_ms.into();
        /// Maximum number of concurrent attempts.
        at_once_max: Within<1, 1_000>, or DeliveryPolicy::default().at_once_max,
            default = || DeliveryPolicy::default().at_once_max.into();
        /// Maximum number of attempts per second; null for no limit.
        per_second_max: Within<1, 100_000>, optional;
        /// Seconds for which a failing delivery blocks the later ones of its room.
        block_s: Within<0, 864_000>, or DeliveryPolicy::default().block_s,
            default = || DeliveryPolicy::default().block_s.into();
    }
}

/// Parses an endpoint. Whether its URL may be called is checked elsewhere.
pub fn read_put_endpoint(body: &Body<'_>, kind: EventKind) -> Result<EndpointInput, Refusal> {
    let fields: PutEndpointFields = body.read()?;
    let PutEndpointFields { url, is_enabled, timeout_ms, at_once_max, .. } = fields;
    let PutEndpointFields { per_second_max, block_s, .. } = fields;
    let policy = DeliveryPolicy { timeout_ms, at_once_max, per_second_max, block_s };
    Ok(EndpointInput { kind, url, is_enabled, policy })
}

/// An endpoint: a URL to which events of one kind are sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Endpoint)]
pub struct EndpointShape<'a> {
    /// Endpoint id; does not change.
    id: String,
    /// Name of the custom button or channel that owns the endpoint; null if neither owns it.
    name: Option<&'a str>,
    /// Whether the endpoint can be deleted; false if a custom button, a channel or the operator
    /// owns it.
    is_deletable: bool,
    /// Kind of event that is sent to the endpoint.
    #[schema(example = "bot")]
    kind: &'static str,
    /// URL to which webhooks are sent.
    url: &'a str,
    /// State: `healthy`, `failing`, `paused` or `disabled`.
    #[schema(example = "healthy")]
    state: &'static str,
    /// Whether events are sent to this endpoint.
    is_enabled: bool,
    /// Whether deliveries are paused.
    is_paused: bool,
    /// Time since when all attempts have failed; null if the last one succeeded.
    failing_since: Option<String>,
    /// Timeout of an attempt, in milliseconds.
    timeout_ms: u32,
    /// Maximum number of concurrent attempts.
    at_once_max: u32,
    /// Maximum number of attempts per second; null for no limit.
    per_second_max: Option<u32>,
    /// Seconds for which a failing delivery blocks the later ones of its room.
    block_s: u32,
    /// Number of waiting deliveries, at most 10000.
    waiting: u64,
    /// Time when the oldest waiting delivery was created.
    oldest_waiting_at: Option<String>,
    /// Time of registration.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    created_at: String,
    /// Time of the last change.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    updated_at: String,
}

/// Response data with one endpoint.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointBox<'a> {
    endpoint: EndpointShape<'a>,
}

/// Response data with a list of endpoints.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointList<'a> {
    /// All endpoints of the app.
    endpoints: Vec<EndpointShape<'a>>,
}

/// Values that responses show with endpoints, but that are not stored with them.
pub struct EndpointExtras<'a> {
    pub backlogs: &'a [Backlog],
    /// Kind of event, endpoint name and display name of each custom button and channel.
    pub owners: &'a [(EventKind, String, String)],
}

impl<'a> EndpointExtras<'a> {
    /// Returns the name of the custom button or channel that owns the endpoint.
    pub fn owner(&self, endpoint: &Endpoint) -> Option<&'a str> {
        let is_it = |it: &&(EventKind, String, String)| {
            it.0 == endpoint.kind && it.1 == endpoint.name && !endpoint.name.is_empty()
        };
        self.owners.iter().find(is_it).map(|it| it.2.as_str())
    }
}

/// Returns an endpoint with its waiting deliveries.
pub fn one_endpoint<'a>(endpoint: &'a Endpoint, extra: &EndpointExtras<'a>) -> EndpointBox<'a> {
    EndpointBox { endpoint: shape(endpoint, extra) }
}

/// Returns endpoints with their waiting deliveries.
pub fn endpoint_list<'a>(
    endpoints: &'a [Endpoint],
    extra: &EndpointExtras<'a>,
) -> EndpointList<'a> {
    EndpointList { endpoints: endpoints.iter().map(|it| shape(it, extra)).collect() }
}

fn shape<'a>(endpoint: &'a Endpoint, extra: &EndpointExtras<'a>) -> EndpointShape<'a> {
    let backlog = extra.backlogs.iter().find(|backlog| backlog.endpoint == endpoint.id);
    let DeliveryPolicy { timeout_ms, at_once_max, per_second_max, block_s } = endpoint.policy;
    let name = extra.owner(endpoint);
    EndpointShape {
        id: endpoint.id.to_string(),
        name,
        is_deletable: name.is_none() && endpoint.is_deletable_alone(),
        kind: endpoint.kind.as_str(),
        url: &endpoint.url,
        state: endpoint.state().as_str(),
        is_enabled: endpoint.is_enabled,
        is_paused: endpoint.is_paused,
        failing_since: endpoint.failing.map(|failing| to_the_microsecond(failing.since)),
        timeout_ms,
        at_once_max,
        per_second_max,
        block_s,
        waiting: backlog.map_or(0, |backlog| backlog.waiting),
        oldest_waiting_at: backlog.map(|backlog| to_the_microsecond(backlog.oldest)),
        created_at: to_the_microsecond(endpoint.created_at),
        updated_at: to_the_microsecond(endpoint.updated_at),
    }
}
