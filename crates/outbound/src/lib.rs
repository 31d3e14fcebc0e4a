//! All outgoing connections of the server, except those to hosts that the operator configured.
//!
//! Deliveries use [`OutboundClient::post`], or [`OutboundClient::post_http2`] for receivers that
//! expect many requests on one connection. Channels also stream uploads, stream downloads with
//! [`OutboundClient::fetch`], and connect to mail servers with a [`MailStream`]. Code that saves a
//! target calls [`TargetGuard::check`] first, for an early error. An attempt checks the URL, takes
//! an idle connection or resolves the name, vets every address, connects to a vetted one, encrypts,
//! sends and reads.
//!
//! Guarantees: connections lead to vetted addresses only (D-0010), except to hosts that the
//! operator configured ([`send_trusted`]); one deadline covers an attempt up to the last byte of
//! the answer; the stored part of an answer is bounded; a request is sent at most once. Redirects
//! are never followed, proxies never used, TLS never downgraded, and answers never decompressed or
//! parsed. Callers limit the number of concurrent attempts.

mod allow_list;
mod attempt;
mod body;
mod client;
mod connection;
mod exchange;
mod fetched;
mod http2;
mod mail;
mod pool;
mod ports;
mod request;
mod resolver;
mod special_addresses;
mod target;
mod target_guard;
mod tls;
mod trusted;
mod wire;

pub use allow_list::{AllowList, AllowListError};
pub use attempt::{AttemptFailure, AttemptReport, OutboundResponse, Timings};
pub use body::BodyPieces;
pub use client::OutboundClient;
pub use confab_domain::webhooks::delivery::ErrorClass;
pub use fetched::FetchedResponse;
pub use mail::{MailHost, MailStream};
pub use request::{BadHeader, OutboundRequest};
pub use resolver::{Resolver, ScriptedAnswer};
pub use target::{BlockedTarget, Host, Target};
pub use target_guard::{TargetGuard, VettedAddresses};
pub use tls::OutboundTls;
pub use tls::TlsRoots;
pub use trusted::send_trusted;

#[cfg(test)]
mod tests;
