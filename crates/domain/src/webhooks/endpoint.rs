//! Endpoints: where an app wants to be told of what happens.

use crate::ids::{AppId, EndpointId};
use crate::time::Timestamp;
use crate::webhooks::event_kind::EventKind;

/// Where an app wants to be told of one kind of notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The integer.
    pub id: EndpointId,
    /// Whose it is.
    pub app: AppId,
    /// What it is told of.
    pub kind: EventKind,
    /// Which one of its kind, where an app has several; mostly empty.
    pub name: String,
    /// The address.
    pub url: String,
    /// Nothing is made for it while it is switched off.
    pub is_enabled: bool,
    /// While it is paused, deliveries are made and wait.
    pub is_paused: bool,
    /// Since when it does not answer as it should, and what was told of that.
    pub failing: Option<Failing>,
    /// How it wants to be called.
    pub policy: DeliveryPolicy,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// An endpoint that does not answer as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    /// Since when there was nothing but failures.
    pub since: Timestamp,
    /// How many times its owner was told.
    pub told: u32,
}

/// How an endpoint is, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointState {
    /// It answers, or was not asked yet.
    Healthy,
    /// It does not answer as it should.
    Failing,
    /// Its owner wants it to wait.
    Paused,
    /// Nothing is made for it.
    Disabled,
}

impl EndpointState {
    /// As it is shown.
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
    /// Whether it goes without anything else; where pushes go is the operator's to say, and what
    /// leads to a service goes with its channel.
    pub fn is_deletable_alone(&self) -> bool {
        self.kind.is_webhook()
    }

    /// How it is, in one word.
    pub fn state(&self) -> EndpointState {
        match self {
            Self { is_enabled: false, .. } => EndpointState::Disabled,
            Self { is_paused: true, .. } => EndpointState::Paused,
            Self { failing: Some(_), .. } => EndpointState::Failing,
            _ => EndpointState::Healthy,
        }
    }
}

/// How a receiver wants to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// How long an attempt may take, answer included.
    pub timeout_ms: u32,
    /// How many attempts may run at once.
    pub at_once_max: u32,
    /// How many may start in a second; `None` is no limit.
    pub per_second_max: Option<u32>,
    /// How long a failing delivery holds up those behind it.
    pub block_s: u32,
}

impl Default for DeliveryPolicy {
    fn default() -> Self {
        Self { timeout_ms: 10_000, at_once_max: 64, per_second_max: None, block_s: 900 }
    }
}
