//! LINE accounts.

mod answering;
mod connecting;
mod receiving;
pub(super) mod stage;
