//! Telegram bots.

mod answering;
mod connecting;
mod hooks;
mod receiving;
mod secrecy;
pub(super) mod stage;
mod stopping;
