//! The responses of the webhook API, with the fields that commands print. Types with bodies of
//! webhooks have no `Debug`.

use serde::Deserialize;

/// One delivery of an event to an endpoint.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ShownDelivery {
    pub(super) id: i64,
    pub(super) kind: String,
    pub(super) room_id: Option<String>,
    pub(super) sequence: Option<i64>,
    pub(crate) url: String,
    pub(super) standing: String,
    pub(super) attempts: u32,
    pub(super) last_status: Option<u16>,
    pub(super) last_error: Option<String>,
    pub(super) created_at: String,
    pub(super) due_at: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct DeliveryAnswer {
    pub(crate) delivery: ShownDelivery,
}

/// A page of deliveries. A short page is not necessarily the last one.
#[derive(Deserialize)]
pub(super) struct DeliveriesAnswer {
    pub(super) deliveries: Vec<ShownDelivery>,
    pub(super) next: Option<String>,
}

/// A delivery with its body and attempts.
#[derive(Deserialize)]
pub(super) struct ShownWholeDelivery {
    #[serde(flatten)]
    pub(super) delivery: ShownDelivery,
    pub(super) body: String,
    pub(super) attempt_list: Vec<ShownAttempt>,
}

#[derive(Deserialize)]
pub(super) struct WholeDeliveryAnswer {
    pub(super) delivery: ShownWholeDelivery,
}

/// One HTTP request of a delivery.
#[derive(Debug, Deserialize)]
pub(super) struct ShownAttempt {
    pub(super) number: u32,
    pub(super) at: String,
    pub(super) status: Option<u16>,
    pub(super) error: Option<String>,
    pub(super) url: Option<String>,
    pub(super) peer: Option<String>,
    pub(super) phases_us: Phases,
    pub(super) answer: Option<String>,
}

/// Duration of each phase of an attempt, in microseconds.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Phases {
    pub(super) name: Option<u64>,
    pub(super) connect: Option<u64>,
    pub(super) tls: Option<u64>,
    pub(super) head: Option<u64>,
    pub(super) body: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct AttemptAnswer {
    pub(super) attempt: ShownAttempt,
}

/// An app's endpoint for one kind of event, with its state.
#[derive(Debug, Deserialize)]
pub(crate) struct ShownEndpoint {
    pub(crate) kind: String,
    pub(crate) url: String,
    pub(crate) state: String,
    pub(crate) failing_since: Option<String>,
    pub(crate) waiting: u64,
    pub(crate) oldest_waiting_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct EndpointAnswer {
    pub(super) endpoint: ShownEndpoint,
}

#[derive(Deserialize)]
pub(crate) struct EndpointsAnswer {
    pub(crate) endpoints: Vec<ShownEndpoint>,
}

/// The number of deliveries that one call replayed, and the cursor for the next call.
#[derive(Deserialize)]
pub(super) struct ReplayAnswer {
    pub(super) replayed: u64,
    pub(super) next: Option<String>,
}
