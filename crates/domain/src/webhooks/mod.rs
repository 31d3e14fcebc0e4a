//! Webhooks: events, the endpoints that receive them, and the retry schedule of deliveries.

pub mod chat_message_facts;
pub mod chat_message_webhook;
pub mod delivering;
pub mod delivery;
pub mod endpoint;
pub mod endpoint_health;
pub mod event;
pub mod event_kind;
pub mod example_ids;
pub mod fan_out;
pub mod retry_schedule;
pub mod subscribing;
pub mod trying;
