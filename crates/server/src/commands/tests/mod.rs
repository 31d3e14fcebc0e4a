//! The command line as a whole, and commands that speak to small real servers.

mod api_client;
mod command_line;
mod listening;
mod server_api;
mod small_server;
