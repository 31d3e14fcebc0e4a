//! A private PostgreSQL: a cluster of its own, with the settings that a test chooses.

mod owner;
mod pooler;
mod programs;
mod server;
mod setup;

use std::sync::OnceLock;

pub use pooler::{PoolMode, Pooler};
pub use server::Server;
pub use setup::Setup;

/// The one server of this test process, started at first use.
pub fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::start)
}
