//! A private PostgreSQL for tests, because what a test proves against an imitation holds for the
//! imitation.
//!
//! ```text
//! Server::start()                  a new cluster in a temporary folder, on a free port
//! Setup::new()...start()           the same with other settings
//! shared().new_schema()            one server for the whole test process, a schema for each test
//! stop_immediately, start_again    a crash, and the recovery from it
//! ```
//!
//! A start that fails panics: a test without its database must fail, not pass by skipping.
//! The server and its folder are gone when their test process is, however that ends: a guard
//! (`guard.sh`) waits at the end of a pipe that the kernel closes with the process.

mod guard;
mod owner;
mod programs;
mod server;
mod setup;

use std::sync::OnceLock;

pub use server::Server;
pub use setup::Setup;

/// The one server of this test process, started at first use.
pub fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::start)
}
