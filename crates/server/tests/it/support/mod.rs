//! Shared helpers of the integration tests. Nothing in here is a test.
//!
//! ```text
//! engine           the storage engine of this test run
//! test_server      a server inside the test; process: the program as a child process
//! caller, answer   an app that calls the message API, and the responses
//! client           a user's client, as the published SDKs write one; visitor: one without a token
//! raw_connection   handwritten requests
//! hooks, webhook_api  the webhook API; oracle: lost, duplicated and misordered deliveries
//! documented       check that each failure is listed in the OpenAPI document
//! office           an app with its staff, all by HTTP
//! world            an office whose agents, channels and customers are created in the store
//! shop             a world with a server of its own, a gateway and a receiver of webhooks
//! stand_ins        Telegram's, Meta's and LINE's APIs, Apple's push service, and a collector of
//!                  OpenTelemetry traces
//! installing       third-party packages, from their registries
//! waiting          polling for conditions
//! ```
//!
//! Receivers of webhooks, PostgreSQL and NATS are in the crate `confab_test_servers`.

pub mod answer;
pub mod caller;
pub mod client;
pub mod documented;
pub mod engine;
pub mod hooks;
pub mod installing;
pub mod office;
pub mod oracle;
pub mod process;
pub mod raw_connection;
pub mod shop;
pub mod stand_ins;
pub mod test_server;
pub mod visitor;
pub mod waiting;
pub mod webhook_api;
pub mod world;
