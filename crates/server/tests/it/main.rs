//! The whole server, from outside: over HTTP in this process, and as the program itself.
//!
//! [`test_server::TestServer`] and [`process::Confab`] start a server; [`caller::Caller`] speaks
//! the words of the product. Every test starts its own server in its own folder; nothing is shared.

mod answer;
mod caller;
mod client;
mod engine;
mod process;
mod raw_connection;
mod support;
mod test_server;

mod attacks;
mod bad_input;
mod clients;
mod database_faults;
mod delivery_faults;
mod headers;
mod many_nodes;
mod messages;
mod omnichannel;
mod openapi;
mod operating;
mod operator;
mod people_and_rooms;
mod push;
mod realtime;
mod sdk;
mod sigkill;
mod tenancy;
mod tidy;
mod webhooks;
