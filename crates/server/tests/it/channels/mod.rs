//! Channels of messaging providers, each against a strict local stand-in.

mod commands;
mod early_statuses;
mod email;
mod foreign_parts;
mod kills;
mod line;
mod messenger;
mod no_lost_events;
mod random_events;
mod service_stage;
mod telegram;
mod two_nodes;
mod whatsapp;
