//! Messenger pages and Instagram accounts.

mod answering;
mod connecting;
mod instagram;
mod kills;
mod receiving;
pub(super) mod stage;
