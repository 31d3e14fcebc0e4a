//! Endpoints: URLs to which an app's events are delivered.

use crate::ids::{AppId, EndpointId};
use crate::time::Timestamp;
use crate::webhooks::event_kind::EventKind;

/// A URL to which an app wants one kind of event delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Integer id.
    pub id: EndpointId,
    pub app: AppId,
    /// Kind of event that it receives.
    pub kind: EventKind,
    /// Name, for kinds of which an app may have several; otherwise empty.
    pub name: String,
    pub url: String,
    /// Whether deliveries are created for it.
    pub is_enabled: bool,
    /// Whether deliveries are created but not attempted.
    pub is_paused: bool,
    /// Failures since the circuit breaker opened; `None` if the endpoint has recovered or never
    /// failed.
    pub failing: Option<EndpointFailures>,
    pub policy: DeliveryPolicy,
    /// Time when the endpoint was created.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// The failures of an endpoint since its circuit breaker opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointFailures {
    /// Time when the circuit breaker first opened after the last success.
    pub since: Timestamp,
    /// Number of notifications to the owner about these failures.
    pub told: u32,
}

/// The state of an endpoint, as its owner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointState {
    /// No failures, or too few to open the circuit breaker.
    Healthy,
    /// The circuit breaker opened, and no attempt has succeeded since.
    Failing,
    /// The owner paused the endpoint: deliveries are created but not attempted.
    Paused,
    /// No deliveries are created for the endpoint.
    Disabled,
}

impl EndpointState {
    /// Returns the public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Failing => "failing",
            Self::Paused => "paused",
            Self::Disabled => "disabled",
        }
    }
}

impl Endpoint {
    /// Whether the owner may delete the endpoint. The push endpoint belongs to the server's
    /// operator; endpoints of a provider channel are deleted with the channel.
    pub fn is_deletable_alone(&self) -> bool {
        self.kind.is_webhook()
    }

    /// Returns the state. If several apply, disabled precedes paused, and paused precedes failing.
    pub fn state(&self) -> EndpointState {
        match self {
            Self { is_enabled: false, .. } => EndpointState::Disabled,
            Self { is_paused: true, .. } => EndpointState::Paused,
            Self { failing: Some(_), .. } => EndpointState::Failing,
            _ => EndpointState::Healthy,
        }
    }
}

/// Limits that a receiver sets for its deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// Maximum duration of an attempt in milliseconds, including the response.
    pub timeout_ms: u32,
    /// Maximum number of concurrent attempts.
    pub at_once_max: u32,
    /// Maximum number of attempts started per second; `None` means no limit.
    pub per_second_max: Option<u32>,
    /// Seconds for which a failing delivery blocks its lane.
    pub block_s: u32,
}

impl Default for DeliveryPolicy {
    fn default() -> Self {
        Self { timeout_ms: 10_000, at_once_max: 64, per_second_max: None, block_s: 900 }
    }
}
