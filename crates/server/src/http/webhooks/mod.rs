//! The webhook API (D-0032), one file for each resource: where an app is told of what happens, what
//! was told and what became of it, sending it again, and trying it out.

pub(super) mod deliveries;
pub(super) mod endpoints;
pub(super) mod listening;
pub(super) mod trying;
pub(super) mod verifying;
