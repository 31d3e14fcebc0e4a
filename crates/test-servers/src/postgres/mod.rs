//! A PostgreSQL cluster for tests, with the settings that a test chooses.

mod owner;
mod pooler;
mod programs;
mod server;
mod setup;

use std::sync::OnceLock;

pub use pooler::{PoolMode, Pooler};
pub use server::Server;
pub use setup::Setup;

/// Returns the server that all tests of this process share. The first call starts it.
pub fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::start)
}
