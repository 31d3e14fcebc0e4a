//! The webhook API (design/webhooks), one file for each resource: endpoints, deliveries and their
//! replay, and tests.

pub(super) mod deliveries;
pub(super) mod endpoints;
pub(super) mod listening;
pub(super) mod trying;
pub(super) mod verifying;
