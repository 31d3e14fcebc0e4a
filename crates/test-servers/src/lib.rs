//! Private servers for tests and benchmarks, because what a test proves against an imitation holds
//! for the imitation.
//!
//! ```text
//! postgres::Server::start()          a new cluster in a temporary folder, on a free port
//! postgres::Setup::new()...start()   the same with other settings
//! postgres::shared().new_schema()    one for the whole test process, a schema for each test
//! stop_immediately, start_again      a crash, and the recovery from it
//! standby, promote                   another server that takes over
//! postgres::Pooler::start(...)       a PgBouncer before a server
//! nats::Server::start()              a new nats-server on a free port
//! nats::Setup::new()...start()       the same with TLS or credentials; start_cluster: several
//! stop, start_again                  an outage, and its end; the port stays the same
//! mail::Mailboxes::start(password)   a dovecot: mailboxes by IMAP, mails into them by LMTP
//! mail::SmtpServer::start(password)  an aiosmtpd that keeps what it is sent
//! receiver::Receiver::start()        takes webhooks, keeps them, and answers as the test wants
//! raw::listen, raw::answering        receivers made of bytes, which answer what they should not
//! programs::program                  programs that stand in a page of the documentation
//! ```
//!
//! A start that fails panics: a test without its server must fail, not pass by skipping.
//! PostgreSQL and NATS and their folders are gone when their test process is, however that ends: a
//! guard (`guard.sh`) waits at the end of a pipe that the kernel closes with the process.

mod guard;
mod starting;

pub mod mail;
pub mod nats;
pub mod postgres;
pub mod programs;
pub mod raw;
pub mod receiver;
