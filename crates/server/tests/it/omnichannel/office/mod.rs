//! Calls of staff and public agent apps besides customer service.

mod acting;
mod agent_app;
mod canned_replies;
mod contacts;
mod divisions;
mod exchanging;
mod hours;
mod overview;
mod small_wrongs;
