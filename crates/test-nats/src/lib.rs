//! A private nats-server for tests and benchmarks, because what a test proves against an imitation
//! holds for the imitation.
//!
//! ```text
//! Server::start()        a new server on a free port
//! stop, start_again      an outage, and its end; the port stays the same
//! ```
//!
//! A start that fails panics: a test without its server must fail, not pass by skipping.
//! The server and its folder are gone when their test process is, however that ends: a guard
//! (`guard.sh`) waits at the end of a pipe that the kernel closes with the process.

mod guard;
mod server;

pub use server::Server;
