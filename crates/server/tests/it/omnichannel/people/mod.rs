//! Staff and app settings (spec 4.2, wire facts 5.1, 5.2, 5.4).

mod access;
mod bots;
mod configuration;
mod logout_webhook;
mod passwords;
mod signing_in;
mod staff;
