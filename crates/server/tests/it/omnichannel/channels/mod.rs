//! Channels of customers, and the agents and bots that answer them.

mod administering;
mod agent_apps;
mod answers;
mod credentials;
mod customers;
mod first_messages;
mod sessions;
mod signing_programs;
mod widget;
mod widget_settings;
