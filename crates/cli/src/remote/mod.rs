//! Commands that call a running server.

pub(super) mod api_client;
pub(super) mod channels;
pub(super) mod ready;
pub(super) mod running_server;
pub(super) mod server_api;
pub(super) mod trigger;
