//! Real servers for tests and benchmarks, private to the test process.
//!
//! ```text
//! postgres::Server::start()          a new cluster in a temporary folder, on a free port
//! postgres::Setup::new()...start()   a cluster with other settings
//! postgres::shared().new_schema()    one cluster per test process, one schema per test
//! stop_immediately, start_again      a crash, and the recovery from it
//! standby, promote                   a second server that takes over
//! postgres::Pooler::start(...)       a PgBouncer in front of a server
//! nats::Server::start()              a new nats-server on a free port
//! nats::Setup::new()...start()       a server with TLS or credentials; start_cluster: several
//! stop, start_again                  an outage, and its end; the port stays the same
//! mail::Mailboxes::start(password)   dovecot: mailboxes by IMAP, delivery into them by LMTP
//! mail::SmtpServer::start(password)  aiosmtpd, which stores the mails that it receives
//! receiver::Receiver::start()        receives and stores webhooks, and answers as the test chooses
//! raw::listen, raw::answering        receivers made of bytes, for invalid responses
//! programs::program                  programs quoted in a page of the documentation
//! ```
//!
//! A server that cannot start panics, so that a test without its server fails instead of passing.
//! The servers and their folders disappear with the test process, however it ends: a guard
//! (`guard.sh`) reads from a pipe that the kernel closes with the process.

mod guard;
mod starting;

pub mod mail;
pub mod nats;
pub mod postgres;
pub mod programs;
pub mod raw;
pub mod receiver;
