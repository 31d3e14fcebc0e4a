//! The dashboard: its pages, sign-in, API and live connections. Its behavior in a browser is tested
//! in `web/e2e`.

mod analytics;
mod app_settings;
mod audit;
mod board;
mod channel_tests;
mod conversation;
mod customers;
pub(crate) mod inbox;
mod keys;
mod lists;
mod live;
mod myself;
mod pages;
mod rows;
mod search;
mod sessions;
mod sign_ins;
