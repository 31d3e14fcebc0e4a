//! Local stand-ins of the services that Confab calls.

pub mod apple;
pub mod bot_api;
pub mod collector;
pub mod graph_api;
pub mod line_api;
