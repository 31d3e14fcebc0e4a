//! The office: what those who work in an app, and their public apps, do beside serving.

mod acting;
mod agent_app;
mod canned_replies;
mod contacts;
mod divisions;
mod exchanging;
mod hours;
mod overview;
mod small_wrongs;
