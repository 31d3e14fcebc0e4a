//! Endpoints: where an app wants to be told of what happens.

use crate::ids::{AppId, EndpointId};
use crate::notice::NoticeKind;
use crate::time::Timestamp;

/// Where an app wants to be told of one kind of notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The integer.
    pub id: EndpointId,
    /// Whose it is.
    pub app: AppId,
    /// What it is told of.
    pub kind: NoticeKind,
    /// The address.
    pub url: String,
    /// Nothing is made for it while it is switched off.
    pub is_enabled: bool,
    /// How it wants to be called.
    pub manners: Manners,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// How a receiver wants to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    /// How long an attempt may take, answer included.
    pub timeout_ms: u32,
    /// How many attempts may run at once.
    pub at_once_max: u32,
    /// How many may start in a second; `None` is no limit.
    pub per_second_max: Option<u32>,
    /// How long a failing delivery holds up those behind it.
    pub block_s: u32,
}

impl Default for Manners {
    fn default() -> Self {
        Self { timeout_ms: 10_000, at_once_max: 64, per_second_max: None, block_s: 900 }
    }
}
