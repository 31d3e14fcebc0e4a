//! The one way out: every call that the server makes to somebody else's address goes through here.
//!
//! The delivery code calls [`OutboundClient::post`], and [`OutboundClient::post_http2`] where the
//! receiver wants many requests on one connection; channels of services also send streams, and read
//! one with [`OutboundClient::fetch`], and speak with mail servers over a [`MailStream`]; what
//! saves a target calls
//! [`TargetGuard::check`] for a friendly error. An attempt goes: check the URL, take an idle
//! connection or resolve the name, vet every address, connect to a vetted one, encrypt, send, read.
//! Promises: only vetted addresses are connected to (D-0010), but for those that the operator names
//! ([`send_trusted`]); one deadline covers everything up to the last byte of the answer; what is
//! kept of an answer is bounded; a request is sent at most once. Never: a redirect followed, a
//! proxy, a fallback from TLS, an answer decompressed or understood. How many attempts run at a
//! time is the caller's to bound.

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
pub use attempt::{AttemptReport, Failed, OutboundResponse, Timings};
pub(crate) use body::BodyPieces;
pub use client::OutboundClient;
pub use confab_domain::webhooks::delivery::ErrorClass;
pub(crate) use fetched::Fetched;
pub(crate) use mail::{MailHost, MailStream};
pub use request::{BadHeader, OutboundRequest};
pub use resolver::{Resolver, Scripted};
pub use target::{BlockedTarget, Host, Target};
pub use target_guard::{TargetGuard, Vetted};
pub(crate) use tls::OutboundTls;
pub use tls::TlsRoots;
pub(crate) use trusted::send_trusted;

#[cfg(test)]
mod tests;
