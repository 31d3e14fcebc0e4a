//! Channels of messengers' services, against a strict stand-in of each.

mod answering;
mod commands;
mod connecting;
mod hooks;
mod kills;
mod receiving;
mod secrecy;
mod stage;
mod stopping;
mod two_nodes;
mod whatsapp_connecting;
mod whatsapp_direct;
mod whatsapp_receiving;
mod whatsapp_stage;
mod whatsapp_statuses;
mod whatsapp_window;
