//! The dashboard: its pages, sign-in, API and live connections. Its behavior in a browser is tested
//! in `web/e2e`.

mod analytics;
mod app_settings;
mod audit;
mod board;
mod bulk;
mod channel_tests;
mod contact_data;
mod contact_list;
mod contacts;
mod conversation_life;
mod conversations;
mod corrections;
mod files;
pub(crate) mod inbox;
mod keys;
mod lists;
mod live;
mod marks;
mod myself;
mod notes;
mod pages;
mod presses;
mod ratings;
mod reopening;
mod rows;
mod search;
mod sessions;
mod sign_ins;
mod tags;
mod trail;
