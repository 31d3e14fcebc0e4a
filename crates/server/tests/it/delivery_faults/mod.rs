//! Deliveries under faults and attacks, end to end: a real server with a real store, and receivers
//! on real sockets (F and S of the list of tests).
//!
//! All tests use one oracle. A receiver must accept every acknowledged delivery (otherwise it is
//! lost), once (otherwise it is duplicated), and those of a room in the order of `webhook-sequence`
//! (otherwise they are out of order). Every test prints one line with its result.

mod clock_jumps;
mod damaged_bodies;
mod flapping;
mod forbidden_targets;
mod hostile_answers;
mod hung_receivers;
mod kills;
mod loops;
mod names_and_certificates;
mod new_endpoints;
mod signatures;
mod slow_receivers;

/// Kinds of events that happen in rooms and can have an endpoint.
const ROOM_KINDS: [&str; 5] =
    ["bot", "agent_allocation", "custom_button", "mark_as_resolved", "new_session"];
