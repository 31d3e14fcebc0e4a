//! WhatsApp numbers.

mod broadcasts;
mod connecting;
mod crowds;
mod direct;
mod forwarding;
mod receiving;
pub(super) mod stage;
mod starting;
mod statuses;
mod templates;
mod window;
