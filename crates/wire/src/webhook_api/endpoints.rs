//! Endpoints: where an app is told of a kind of notice, and how they are.

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
    /// `PUT /endpoints/{kind}`
    pub struct PutEndpointFields as "PutEndpoint" {
        /// Where webhooks are posted to.
        url: CalledUrl, required, example = "https://bot.example.com/hook";
        /// Whether webhooks are made for it.
        is_enabled: Flag, or true, default = || true.into();
        /// How long an attempt may take, answer included.
        timeout_ms: Within<100, 60_000>, or DeliveryPolicy::default().timeout_ms,
            default = || DeliveryPolicy::default().timeout_ms.into();
        /// How many attempts may run at once.
        at_once_max: Within<1, 1_000>, or DeliveryPolicy::default().at_once_max,
            default = || DeliveryPolicy::default().at_once_max.into();
        /// How many attempts may start in a second; null is no limit.
        per_second_max: Within<1, 100_000>, optional;
        /// How long a failing delivery holds up those behind it, in seconds.
        block_s: Within<0, 864_000>, or DeliveryPolicy::default().block_s,
            default = || DeliveryPolicy::default().block_s.into();
    }
}

/// Reads an endpoint; whether its address may be called is not looked at here.
pub fn read_put_endpoint(body: &Body<'_>, kind: EventKind) -> Result<EndpointInput, Refusal> {
    let fields: PutEndpointFields = body.read()?;
    let PutEndpointFields { url, is_enabled, timeout_ms, at_once_max, .. } = fields;
    let PutEndpointFields { per_second_max, block_s, .. } = fields;
    let policy = DeliveryPolicy { timeout_ms, at_once_max, per_second_max, block_s };
    Ok(EndpointInput { kind, url, is_enabled, policy })
}

/// An endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Endpoint)]
pub struct EndpointShape<'a> {
    /// Stays the same as long as it is there.
    id: String,
    /// What it belongs to, a custom button or a channel, by its name; null if to nothing.
    name: Option<&'a str>,
    /// Whether it can be deleted; what belongs to something goes with that.
    is_deletable: bool,
    /// What it is told of.
    #[schema(example = "bot")]
    kind: &'static str,
    /// Where webhooks are posted to.
    url: &'a str,
    /// `healthy`, `failing`, `paused` or `disabled`.
    #[schema(example = "healthy")]
    state: &'static str,
    /// Whether webhooks are made for it.
    is_enabled: bool,
    /// Whether webhooks that were made wait.
    is_paused: bool,
    /// Since when there is nothing but failures.
    failing_since: Option<String>,
    /// How long an attempt may take.
    timeout_ms: u32,
    /// How many attempts may run at once.
    at_once_max: u32,
    /// How many attempts may start in a second; null is no limit.
    per_second_max: Option<u32>,
    /// How long a failing delivery holds up those behind it.
    block_s: u32,
    /// How many deliveries wait; at most 10000 are counted.
    waiting: u64,
    /// When the oldest of them was made.
    oldest_waiting_at: Option<String>,
    /// When it was registered.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    created_at: String,
    /// When it was last changed.
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    updated_at: String,
}

/// `{endpoint}`
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointBox<'a> {
    /// The endpoint.
    endpoint: EndpointShape<'a>,
}

/// `{endpoints}`
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointList<'a> {
    /// All of the app.
    endpoints: Vec<EndpointShape<'a>>,
}

/// What stands beside endpoints.
pub struct BesideEndpoints<'a> {
    pub backlogs: &'a [Backlog],
    /// Custom buttons and channels that are there, by the names of their endpoints.
    pub owners: &'a [(EventKind, String, String)],
}

impl<'a> BesideEndpoints<'a> {
    /// The name of what an endpoint belongs to.
    pub fn owner(&self, endpoint: &Endpoint) -> Option<&'a str> {
        let is_it = |it: &&(EventKind, String, String)| {
            it.0 == endpoint.kind && it.1 == endpoint.name && !endpoint.name.is_empty()
        };
        self.owners.iter().find(is_it).map(|it| it.2.as_str())
    }
}

/// An endpoint with what it has not got yet.
pub fn one_endpoint<'a>(endpoint: &'a Endpoint, beside: &BesideEndpoints<'a>) -> EndpointBox<'a> {
    EndpointBox { endpoint: shape(endpoint, beside) }
}

/// Endpoints with what they have not got yet.
pub fn endpoint_list<'a>(
    endpoints: &'a [Endpoint],
    beside: &BesideEndpoints<'a>,
) -> EndpointList<'a> {
    EndpointList { endpoints: endpoints.iter().map(|it| shape(it, beside)).collect() }
}

fn shape<'a>(endpoint: &'a Endpoint, beside: &BesideEndpoints<'a>) -> EndpointShape<'a> {
    let backlog = beside.backlogs.iter().find(|backlog| backlog.endpoint == endpoint.id);
    let DeliveryPolicy { timeout_ms, at_once_max, per_second_max, block_s } = endpoint.policy;
    let name = beside.owner(endpoint);
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
