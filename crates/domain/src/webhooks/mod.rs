//! Webhooks: what outsiders are told, to whom it goes, and when it is tried again.

pub mod delivering;
pub mod delivery;
pub mod endpoint;
pub mod endpoint_health;
pub mod example_ids;
pub mod fan_out;
pub mod notice;
pub mod notice_kind;
pub mod overhearing;
pub mod overhearing_facts;
pub mod retry_schedule;
pub mod subscribing;
pub mod trying;
