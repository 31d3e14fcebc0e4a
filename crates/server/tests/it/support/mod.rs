//! What tests stand on. Nothing in here is a test.
//!
//! ```text
//! engine           which engine the servers of this run keep their data in
//! test_server      a whole server inside the test; process: the program itself
//! caller, answer   an app that calls the message API, and what it is answered
//! collector        a collector of traces, which reads what it is posted
//! client           somebody's client, as the published SDKs write one; visitor: before that
//! raw_connection   requests written by hand
//! hooks, webhook_api  the webhook API; oracle: what is wrong with what a receiver took
//! office           an app and those who work in it, all by HTTP
//! world            an office whose people, channels and customers are put into the store
//! shop             a world with a server of its own, a gateway and a receiver of webhooks
//! apple            Apple's push service, which speaks HTTP/2
//! bot_api          Telegram's Bot API, which a bot is asked and told through; graph_api: Meta's,
//!                  line_api: LINE's
//! installing       what others publish, from their registries
//! waiting          for what no event tells
//! ```
//!
//! Receivers of webhooks, PostgreSQL and NATS are in the crate `confab_test_servers`.

pub mod answer;
pub mod apple;
pub mod bot_api;
pub mod caller;
pub mod client;
pub mod collector;
pub mod documented;
pub mod engine;
pub mod graph_api;
pub mod hooks;
pub mod installing;
pub mod line_api;
pub mod office;
pub mod oracle;
pub mod process;
pub mod raw_connection;
pub mod shop;
pub mod test_server;
pub mod visitor;
pub mod waiting;
pub mod webhook_api;
pub mod world;
