//! Limits for clients, by connection, address, user and app.

pub mod activity;
pub mod body_memory;
pub mod connections;
pub mod hook_proofs;
pub mod peer;
pub mod quotas;
pub mod rate_limits;
pub mod response_backpressure;
pub mod running_requests;
pub mod shares;
pub mod sign_in_limits;
pub mod unproven_uploads;

use self::body_memory::BodyMemory;
use self::connections::Connections;
use self::hook_proofs::HookProofs;
use self::quotas::Quotas;
use self::rate_limits::RateLimits;
use self::response_backpressure::ResponseBackpressure;
use self::sign_in_limits::SignInLimits;
use self::unproven_uploads::UnprovenUploads;
use crate::config::Config;

/// The limits on requests, with what counts against them.
pub struct Admission {
    pub connections: Connections,
    pub rate_limits: RateLimits,
    pub quotas: Quotas,
    /// Failed sign-ins of agents.
    pub sign_in_tries: SignInLimits,
    /// Failed log-ins of users. They are counted apart, so that they do not slow down the sign-ins
    /// of agents.
    pub log_in_tries: SignInLimits,
    /// Verifying the signatures of provider webhooks.
    pub hook_proofs: HookProofs,
    /// Memory of request bodies.
    pub body_memory: BodyMemory,
    /// Large responses that wait to be sent.
    pub unsent: ResponseBackpressure,
    /// Uploads whose senders are not authenticated yet.
    pub unproven_uploads: UnprovenUploads,
}

impl Admission {
    pub fn new(config: &Config) -> Self {
        Self {
            connections: Connections::new(config),
            rate_limits: RateLimits::new(config),
            quotas: Quotas::new(&config.quotas),
            sign_in_tries: SignInLimits::default(),
            log_in_tries: SignInLimits::default(),
            hook_proofs: HookProofs::default(),
            body_memory: BodyMemory::default(),
            unsent: ResponseBackpressure::default(),
            unproven_uploads: UnprovenUploads::new(config.upload_max_bytes),
        }
    }
}
