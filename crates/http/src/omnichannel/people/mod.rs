//! Calls about agents, sign-ins and the app's settings.

pub(crate) mod agents;
pub(crate) mod agents_of_room;
pub(crate) mod app_overview;
pub(crate) mod app_settings;
pub(crate) mod audit;
pub(crate) mod availability;
pub(crate) mod bot_settings;
pub(crate) mod divisions;
pub(crate) mod keys;
pub(crate) mod live_check;
pub(crate) mod office_hours;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod sign_ins;
pub(crate) mod webhook_settings;
pub(crate) mod widget_settings;
