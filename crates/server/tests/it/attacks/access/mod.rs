//! Access without the right to it, or after the right ended.

mod chosen_agents;
mod customers_tokens;
mod held_requests;
mod log_ins;
mod open_doors;
mod realms;
mod realtime_tickets;
mod rights;
mod widget_visitors;
