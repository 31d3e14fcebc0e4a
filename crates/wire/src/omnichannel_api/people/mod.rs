//! Agents, settings, keys and sign-ins of an app (spec 4.2, wire facts 5.1, 5.2, 5.4).

pub mod agents;
pub mod app_settings;
pub mod apps;
pub mod audit;
pub mod configs;
pub mod divisions;
pub mod features;
pub mod keys;
pub mod live_check;
pub mod me;
pub mod office_hours;
pub mod sign_ins;
pub mod signing_in;
pub mod widget_settings;

#[cfg(test)]
mod tests;
