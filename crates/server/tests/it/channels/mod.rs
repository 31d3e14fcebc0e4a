//! Channels of messengers' services, against a strict stand-in of each.

mod answering;
mod commands;
mod connecting;
mod email_answering;
mod email_connecting;
mod email_receiving;
mod email_stage;
mod hooks;
mod kills;
mod line_answering;
mod line_connecting;
mod line_receiving;
mod line_stage;
mod receiving;
mod secrecy;
mod service_stage;
mod stage;
mod stopping;
mod two_nodes;
mod whatsapp_connecting;
mod whatsapp_direct;
mod whatsapp_receiving;
mod whatsapp_stage;
mod whatsapp_statuses;
mod whatsapp_templates;
mod whatsapp_window;
