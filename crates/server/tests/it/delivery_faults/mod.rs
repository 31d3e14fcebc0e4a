//! Deliveries among faults and attacks, over the whole path: a real server with a real store, and
//! receivers on real sockets (F and S of the list of tests).
//!
//! The oracle is the same everywhere: every delivery whose trigger was answered with success must
//! be taken by its receiver (else it is lost), once (else duplicated), and each room's in the order
//! of `webhook-sequence` (else out of order). Every test prints one line that says so.

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

/// The kinds of which an app may have an endpoint and which happen in rooms.
const ROOM_KINDS: [&str; 5] =
    ["bot", "agent_allocation", "custom_button", "mark_as_resolved", "new_session"];
