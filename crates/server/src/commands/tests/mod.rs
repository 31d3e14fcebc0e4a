//! The command line as a whole, and how commands speak HTTP.

mod api_client;
mod command_line;
mod server_api;
mod small_server;
