//! Tests of deliveries as a whole, from the commit to the receiver.

mod changing_keys;
pub(super) mod world;
