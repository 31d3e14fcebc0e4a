//! Tests of the command line as a whole, and of the HTTP client of the commands.

mod api_client;
mod command_line;
mod server_api;
mod small_server;
