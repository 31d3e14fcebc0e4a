//! Requests: their bodies, clients, callers, log lines and metrics.

pub(super) mod access;
pub(super) mod arriving;
pub(super) mod bodies;
pub(super) mod brands;
pub(super) mod callers;
pub(super) mod cookie;
pub(super) mod page_origin;
pub(super) mod part;
pub(super) mod peer;
pub(super) mod quotas;
pub(super) mod request;
pub(super) mod request_metrics;
pub(super) mod request_span;
pub(super) mod targets;
