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
